// Things by name, and gates. Handles stay until `reset`, which frees them when no callback runs any more: so whoever
// found one may use it.
#include "agent.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
    enum kind kind;
    char *name;
    void *thing;
    struct entry *next;
};

struct gate {
    bool open;
    struct waiting *waiting;
};

struct waiting {
    struct task *task;
    struct waiting *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

static struct entry **place(enum kind kind, text_t name) {
    struct entry **at = &entries;
    while (*at != NULL && ((*at)->kind != kind || !is(name, (*at)->name))) at = &(*at)->next;
    return at;
}

static void add(enum kind kind, text_t name, void *thing) {
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL) abort();
    if (name.len >= 2 && name.data[0] == '"') name = (text_t){name.data + 1, name.len - 2};
    *entry = (struct entry){kind, copy(name), thing, entries};
    entries = entry;
}

void store(enum kind kind, text_t name, void *thing) {
    pthread_mutex_lock(&lock);
    add(kind, name, thing);
    pthread_mutex_unlock(&lock);
}

void *find(enum kind kind, text_t name) {
    pthread_mutex_lock(&lock);
    struct entry *found = *place(kind, name);
    pthread_mutex_unlock(&lock);
    return found == NULL ? NULL : found->thing;
}

void *take(enum kind kind, text_t name) {
    pthread_mutex_lock(&lock);
    struct entry **at = place(kind, name);
    struct entry *found = *at;
    if (found != NULL) *at = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL) return NULL;
    void *thing = found->thing;
    free(found->name);
    free(found);
    return thing;
}

/// Under the lock.
static struct gate *gate(text_t name) {
    struct entry *found = *place(GATE, name);
    if (found != NULL) return found->thing;
    struct gate *made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    add(GATE, name, made);
    return made;
}

static void let_through(struct waiting *waiting) {
    while (waiting != NULL) {
        struct waiting *one = waiting;
        waiting = one->next;
        task_go_on(one->task);
        free(one);
    }
}

/// Under the lock; what waits has to be let through without it.
static struct waiting *opened(struct gate *gate) {
    struct waiting *waiting = gate->waiting;
    gate->open = true;
    gate->waiting = NULL;
    return waiting;
}

void gate_open(text_t name) {
    pthread_mutex_lock(&lock);
    struct waiting *waiting = opened(gate(name));
    pthread_mutex_unlock(&lock);
    let_through(waiting);
}

bool gate_wait(text_t name, struct task *task) {
    pthread_mutex_lock(&lock);
    struct gate *at = gate(name);
    const bool waits = !at->open;
    if (waits) {
        struct waiting *waiting = malloc(sizeof *waiting);
        if (waiting == NULL) abort();
        *waiting = (struct waiting){task, at->waiting};
        at->waiting = waiting;
    }
    pthread_mutex_unlock(&lock);
    return waits;
}

static void end(struct entry *entry) {
    switch (entry->kind) {
    case HUB:
        posthouse_hub_free(entry->thing);
        break;
    case SUBSCRIPTION:
        posthouse_subscription_free(entry->thing);
        break;
    case WATCH:
        posthouse_watch_free(entry->thing);
        break;
    case CONTEXT:
        posthouse_message_free(entry->thing);
        break;
    case OPERATION:
        posthouse_operation_free(entry->thing);
        break;
    case GATE:
        free(entry->thing);
        break;
    }
    free(entry->name);
    free(entry);
}

void reset(void) {
    pthread_mutex_lock(&lock);
    struct entry *all = entries;
    struct waiting *waiting = NULL;
    for (struct entry *entry = all; entry != NULL; entry = entry->next) {
        if (entry->kind != GATE) continue;
        // Those of this gate, and then those of the gates before.
        struct waiting *more = opened(entry->thing), **last = &more;
        while (*last != NULL) last = &(*last)->next;
        *last = waiting;
        waiting = more;
    }
    pthread_mutex_unlock(&lock);
    let_through(waiting);
    for (struct entry *entry = all; entry != NULL; entry = entry->next) {
        if (entry->kind == HUB) posthouse_hub_close(entry->thing, NULL);
    }
    // Whatever handlers have left meanwhile stands before these.
    pthread_mutex_lock(&lock);
    all = entries;
    entries = NULL;
    pthread_mutex_unlock(&lock);
    while (all != NULL) {
        struct entry *entry = all;
        all = entry->next;
        end(entry);
    }
}
