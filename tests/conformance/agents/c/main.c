// The C agent of the shared scenarios: requests on standard input, answers and events on standard output, as the
// corpus' README tells. It uses the header `posthouse.h` only.
//
// Requests are begun on the main thread, so in the order of the lines; ends are told wherever the library calls.
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
    line_begin();
    put_text("{\"event\":\"hello\",\"stream\":\"hello\",\"language\":\"c\",\"capabilities\":[\"state\",\"messages\","
             "\"queue\",\"headers\",\"collect\",\"in-handler\",\"context\",\"cancel\",\"node\",\"own-limits\","
             "\"limit-in-errors\",\"instance-list\",\"one-connection\",\"websocket\",\"surrogates\"]}");
    line_end();
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const text_t request = posthouse_text(line);
        run(request, (struct listener){copy(member(request, "id")), NULL});
    }
    free(line);
    reset();
    return 0;
}
