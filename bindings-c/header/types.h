/* clang-format off: copied into the header as it stands. */
/** Borrowed text or bytes: not terminated by a zero, and good only as long as the function that gave it
 *  says. `data` may be NULL where `len` is 0; as an argument NULL means "not given". */
typedef struct posthouse_str {
    const char *data;
    size_t len;
} posthouse_str_t;

/** Bytes that the library has made and the program owns: give them back with `posthouse_buf_free`. */
typedef struct posthouse_buf {
    char *data;
    size_t len;
    size_t capacity;
} posthouse_buf_t;

/** State of a hub's connection. */
typedef enum posthouse_state {
    POSTHOUSE_STATE_STARTING = 0,   /**< Not dialled yet. */
    POSTHOUSE_STATE_CONNECTING = 1, /**< Dialling, or being set up. */
    POSTHOUSE_STATE_CONNECTED = 2,  /**< In use. */
    POSTHOUSE_STATE_OFFLINE = 3,    /**< Lost, and being sought again. */
    POSTHOUSE_STATE_ERROR = 4,      /**< Every server refuses; being sought all the same. */
    POSTHOUSE_STATE_CLOSED = 5      /**< The hub is closed. */
} posthouse_state_t;

/** Why a collection of answers ended well. */
typedef enum posthouse_reason {
    POSTHOUSE_REASON_NONE = 0,       /**< The result is not of a collection. */
    POSTHOUSE_REASON_DEADLINE = 1,   /**< The window is over. */
    POSTHOUSE_REASON_MAX_REPLIES = 2 /**< As many answers as wanted have come. */
} posthouse_reason_t;

/** How much a line of the log matters. */
typedef enum posthouse_level {
    POSTHOUSE_LEVEL_DEBUG = 0,
    POSTHOUSE_LEVEL_INFO = 1,
    POSTHOUSE_LEVEL_WARNING = 2
} posthouse_level_t;

/** A hub: a member of a namespace. Any thread may use it. */
typedef struct posthouse_hub posthouse_hub_t;
/** A name of a hub, for state and messages. Any thread may use it. */
typedef struct posthouse_variable posthouse_variable_t;
/** A live subscription or handler. Any thread may use it. */
typedef struct posthouse_subscription posthouse_subscription_t;
/** A live watch. Any thread may use it. */
typedef struct posthouse_watch posthouse_watch_t;
/** Something begun that has an end. Any thread may use it. */
typedef struct posthouse_operation posthouse_operation_t;
/** What an operation gave. One thread at a time. */
typedef struct posthouse_result posthouse_result_t;
/** What went wrong. One thread at a time. */
typedef struct posthouse_error posthouse_error_t;
/** Headers of a message. One thread at a time; any number while nobody changes them. */
typedef struct posthouse_headers posthouse_headers_t;
/** A message whose handler runs, or a kept one. Any thread may use it. */
typedef struct posthouse_message posthouse_message_t;
/** The duty to end the handling of one message later. Any thread may use it. */
typedef struct posthouse_deferred posthouse_deferred_t;
/** Where a credential callback puts its answer. */
typedef struct posthouse_answer posthouse_answer_t;

/** What is known of a variable besides its value. */
typedef struct posthouse_meta {
    bool initialized;        /**< Whether it is known if there is a value. */
    int32_t exists;          /**< 1, 0, or -1 while that is unknown. */
    bool pending;            /**< A write of this hub that no server has confirmed yet. */
    bool connected;          /**< Whether the hub has an active connection. */
    posthouse_str_t counter; /**< The version's counter, decimal; NULL where there is no version. */
    posthouse_str_t writer;  /**< The version's writer; NULL where there is no version. */
} posthouse_meta_t;

/** A variable at one moment: its JSON, NULL where there is no value, and what is known besides. */
typedef struct posthouse_view {
    posthouse_str_t value;
    posthouse_meta_t meta;
} posthouse_view_t;

/* Callbacks. `call` may be called on a thread of the library, or inside `posthouse_hub_process`;
 * `drop`, which may be NULL, exactly once, after the last `call` has returned, on any thread. Neither may
 * unwind: a C++ exception or a longjmp must not leave it. Whoever takes a closure owns it from the call
 * on, also where that fails. */

/** Hears of messages, one after the other. The message is borrowed for the call. */
typedef struct posthouse_message_closure {
    void *context;
    void (*call)(void *context, const posthouse_message_t *message);
    void (*drop)(void *context);
} posthouse_message_closure_t;

/** Hears of a variable's state. The view is borrowed for the call. */
typedef struct posthouse_view_closure {
    void *context;
    void (*call)(void *context, const posthouse_view_t *view);
    void (*drop)(void *context);
} posthouse_view_closure_t;

/** Hears of the hub's status or instances, as JSON borrowed for the call. */
typedef struct posthouse_json_closure {
    void *context;
    void (*call)(void *context, posthouse_str_t json);
    void (*drop)(void *context);
} posthouse_json_closure_t;

/** Hears of the end of an operation, once. Owns what it is given: `error` is NULL where it went well,
 *  `result` where it failed or there is nothing but its success. */
typedef struct posthouse_done_closure {
    void *context;
    void (*call)(void *context, posthouse_result_t *result, posthouse_error_t *error);
    void (*drop)(void *context);
} posthouse_done_closure_t;

/** Gives credentials: `what` is the option's name. `posthouse_answer_set` gives one; returning without it
 *  fails this attempt to connect. */
typedef struct posthouse_ask_closure {
    void *context;
    void (*call)(void *context, posthouse_str_t what, posthouse_answer_t *answer);
    void (*drop)(void *context);
} posthouse_ask_closure_t;

/** Hears of lines for the program's log; they never carry a secret or a value. */
typedef struct posthouse_log_closure {
    void *context;
    void (*call)(void *context, posthouse_level_t level, posthouse_str_t code, posthouse_str_t line);
    void (*drop)(void *context);
} posthouse_log_closure_t;

/** Is told that `posthouse_hub_process` has something to do: quickly, on any thread, under no lock; it must
 *  not call into the hub. */
typedef struct posthouse_wake_closure {
    void *context;
    void (*call)(void *context);
    void (*drop)(void *context);
} posthouse_wake_closure_t;

/** Who runs callbacks. */
typedef enum posthouse_dispatch {
    /** Threads of the library: one for each subscription, one for everything else of a hub. */
    POSTHOUSE_DISPATCH_THREADS = 0,
    /** The program, in `posthouse_hub_process`, when the descriptor of `posthouse_hub_fd` is readable. */
    POSTHOUSE_DISPATCH_FD = 1,
    /** The program, in `posthouse_hub_process`, after the closure `wake` was called. */
    POSTHOUSE_DISPATCH_WAKE = 2
} posthouse_dispatch_t;

/** Credentials to be asked for by the closure `ask`, to be combined with `|`. */
typedef enum posthouse_asked {
    POSTHOUSE_ASK_NOTHING = 0,
    POSTHOUSE_ASK_TOKEN = 1,
    POSTHOUSE_ASK_USER = 2,
    POSTHOUSE_ASK_PASSWORD = 4,
    POSTHOUSE_ASK_NKEY = 8,
    POSTHOUSE_ASK_CREDENTIALS = 16
} posthouse_asked_t;

/** What the program brings along when it opens a hub. Start from `POSTHOUSE_HOST_INIT`. */
typedef struct posthouse_host {
    uint32_t size;                 /**< sizeof(posthouse_host_t) */
    posthouse_dispatch_t dispatch; /**< Who runs callbacks. */
    posthouse_wake_closure_t wake; /**< For POSTHOUSE_DISPATCH_WAKE. */
    uint32_t asks;                 /**< posthouse_asked_t: what `ask` is for. */
    posthouse_ask_closure_t ask;   /**< Credentials, asked anew at every attempt to connect. */
    posthouse_log_closure_t log;   /**< Lines for the log; without it they go nowhere (see POSTHOUSE_LOG). */
    posthouse_str_t sdk;           /**< The language, as others see it; `c` where not given. */
    posthouse_str_t runtime;       /**< The platform, as others see it, e.g. `c++/20`. */
    bool camel_case;               /**< Messages about options spell them in camel case. */
} posthouse_host_t;

#define POSTHOUSE_HOST_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(posthouse_host_t), POSTHOUSE_DISPATCH_THREADS, {NULL, NULL, NULL}, POSTHOUSE_ASK_NOTHING,               \
            {NULL, NULL, NULL}, {NULL, NULL, NULL}, {NULL, 0}, {NULL, 0}, false                                        \
    }

/** A borrowed text from a C string. */
static inline posthouse_str_t posthouse_text(const char *text) {
    posthouse_str_t borrowed = {text, 0};
    while (text != NULL && text[borrowed.len] != '\0') ++borrowed.len;
    return borrowed;
}
