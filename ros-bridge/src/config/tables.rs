//! Every key of the configuration.
use super::schema::{
    CHANNEL, ENVIRONMENT, FIELD_PATH, Field, Kind, NAME, Need, PATH, PATTERN, QUEUE, ROS_GLOB,
    ROS_NAME, ROS_TYPE, Rule, TEMPLATE, TEXT, Table,
};

/// From ROS to the hub.
pub const TO_HUB: &str = "ros_to_hub";
/// From the hub to ROS.
pub const TO_ROS: &str = "hub_to_ros";

const DIRECTION: &[(&str, &str)] = &[
    (TO_HUB, "it begins in ROS: a message of a topic, a call of a ROS client"),
    (TO_ROS, "it begins on the hub: an event, a request of a program"),
];

const fn field(name: &'static str, kind: Kind, need: Need, doc: &'static str) -> Field {
    Field { name, kind, need, only: None, doc }
}

const fn only(direction: &'static str, field: Field) -> Field {
    Field { only: Some(direction), ..field }
}

const fn text(name: &'static str, rule: Rule, need: Need, doc: &'static str) -> Field {
    field(name, Kind::Text(rule), need, doc)
}

/// The whole file.
pub static FILE: Table = Table {
    name: "The file",
    doc: "Every list may be empty or missing. A key that is not in these tables is refused with its line.",
    fields: &[&[
        field("hub", Kind::Table(&HUB), Need::Required, "The hub that this robot takes part in."),
        field("topics", Kind::Items(&TOPIC), Need::Optional, "ROS topics that become variables."),
        field(
            "controls",
            Kind::Items(&CONTROL),
            Need::Optional,
            "Variables that command ROS topics.",
        ),
        field(
            "events",
            Kind::Items(&EVENT),
            Need::Optional,
            "Messages that pass as events, each for itself, either way.",
        ),
        field(
            "services",
            Kind::Items(&SERVICE),
            Need::Optional,
            "Services that pass as requests, either way.",
        ),
        text(
            "status_variable",
            NAME,
            Need::Default("_bridge"),
            "The variable in which the bridge reports itself: `control_session`, counters, errors. Two bridges in one namespace need two.",
        ),
        field(
            "defaults",
            Kind::Table(&DEFAULTS),
            Need::Optional,
            "What holds for every route that does not say otherwise.",
        ),
    ]],
};

static HUB: Table = Table {
    name: "`hub`",
    doc: "Without `servers` the bridge uses the node of this machine and becomes it where there is none. What stands here wins over `POSTHOUSE_SERVERS`, `POSTHOUSE_TOKEN` and `POSTHOUSE_CREDENTIALS`.",
    fields: &[&[
        text("namespace", NAME, Need::Required, "The namespace."),
        field(
            "servers",
            Kind::Texts(TEXT),
            Need::Optional,
            "The servers, best first, as `nats://`, `tls://`, `ws://` or `wss://` URLs.",
        ),
        field(
            "node",
            Kind::Choice(&[
                ("auto", "the bridge becomes this machine's node where there is none"),
                ("true", "it has to be the node"),
                ("false", "it only connects"),
            ]),
            Need::Default("auto"),
            "Whether the bridge may be the node of this machine.",
        ),
        text("token", TEXT, Need::Optional, "A token."),
        text(
            "token_env",
            ENVIRONMENT,
            Need::Optional,
            "The environment variable that holds the token.",
        ),
        text("user", TEXT, Need::Optional, "A user; needs a password."),
        text("password", TEXT, Need::Optional, "The user's password."),
        text(
            "password_env",
            ENVIRONMENT,
            Need::Optional,
            "The environment variable that holds the password.",
        ),
        text("nkey_file", PATH, Need::Optional, "A file with a user's secret seed (`SU…`)."),
        text(
            "nkey_env",
            ENVIRONMENT,
            Need::Optional,
            "The environment variable that holds the seed.",
        ),
        text("credentials", PATH, Need::Optional, "A credentials file."),
        field("tls", Kind::Table(&TLS), Need::Optional, "Encryption, beyond what the URLs say."),
        field(
            "timeout",
            Kind::Number { above: 0.0, max: 86_400.0 },
            Need::Default("3"),
            "Seconds that connecting and each operation may take.",
        ),
        field(
            "payload_bytes",
            Kind::Whole { min: 1, max: 67_108_864 },
            Need::Default("65536"),
            "The largest event, request or answer, as JSON. The broker's `max_payload` has to allow it.",
        ),
        field(
            "outbound_bytes",
            Kind::Whole { min: 1, max: 1_073_741_824 },
            Need::Default("8388608"),
            "How much may wait to be sent; events past it are dropped and counted as `dropped_budget`.",
        ),
    ]],
};

static TLS: Table = Table {
    name: "`hub.tls`",
    doc: "PEM files.",
    fields: &[&[
        text("ca_file", PATH, Need::Optional, "The certificates to trust instead of the system's."),
        text("cert_file", PATH, Need::Optional, "A client certificate; needs `key_file`."),
        text("key_file", PATH, Need::Optional, "The key of the client certificate."),
        field(
            "handshake_first",
            Kind::Flag,
            Need::Default("false"),
            "TLS before the server's first word, as nats-server's `handshake_first` wants it.",
        ),
    ]],
};

/// How messages are written as JSON and read back.
const CONVERSION: &[Field] = &[
    field(
        "bytes",
        Kind::Choice(&[("base64", "a text, shortest"), ("numbers", "a list of numbers")]),
        Need::Default("base64"),
        "How arrays of `uint8` and `char` are written, the same both ways.",
    ),
    field(
        "non_finite",
        Kind::Choice(&[
            ("null", "`null`; read back as NaN"),
            ("strings", "`\"NaN\"`, `\"Infinity\"`, `\"-Infinity\"`"),
            ("skip", "the whole message is left out and counted"),
        ]),
        Need::Default("null"),
        "What becomes of floats that JSON has no number for, the same for single fields and inside arrays. Each is counted as `non_finite`.",
    ),
    field(
        "int64",
        Kind::Choice(&[
            ("number", "a number; a message with one past ±(2⁵³−1) is refused and counted"),
            ("string", "a text, always"),
        ]),
        Need::Default("number"),
        "How 64-bit integers are written, the same both ways.",
    ),
    field(
        "max_bytes",
        Kind::Whole { min: 1, max: 67_108_864 },
        Need::Default("1048576"),
        "The largest ROS message; larger ones are left out and counted as `too_large`. As JSON it has to fit the hub as well: 64 KiB for a variable, `payload_bytes` for an event.",
    ),
];

static TOPIC: Table = Table {
    name: "`topics`",
    doc: "A topic's latest message is a variable's value: whoever looks sees the present state, also who comes later. Nothing waits: a newer message takes the place of one that was not sent yet.",
    fields: &[
        &[
            text(
                "topic",
                ROS_GLOB,
                Need::Required,
                "The topic, or a pattern of topics; new ones that match are taken up as they appear.",
            ),
            field(
                "exclude",
                Kind::Texts(ROS_GLOB),
                Need::Optional,
                "Topics that the pattern does not mean.",
            ),
            text(
                "type",
                ROS_TYPE,
                Need::Optional,
                "The type; without it what the publisher says. A publisher of another type is refused and reported.",
            ),
            text(
                "variable",
                TEMPLATE,
                Need::Default("{topic}"),
                "The variable. `{topic}` stands for the topic's name with dots between its parts, `{1}`, `{2}`, … for what the wildcards stood for.",
            ),
            text("field", FIELD_PATH, Need::Optional, "Only this part of the message."),
            field(
                "max_hz",
                Kind::Number { above: 0.0, max: 10_000.0 },
                Need::Optional,
                "How many times a second the variable is written at most; it always ends with the latest message.",
            ),
        ],
        CONVERSION,
    ],
};

static CONTROL: Table = Table {
    name: "`controls`",
    doc: "A variable commands a topic: each version of its value is published once. A value is `{\"session\": …, \"value\": MESSAGE}`, where the session is `control_session` of the status variable, new each time the bridge connects: what was meant for an earlier connection never moves the robot. The message has to be complete.",
    fields: &[
        &[
            text("variable", NAME, Need::Required, "The variable."),
            text("topic", ROS_NAME, Need::Required, "The topic."),
            text("type", ROS_TYPE, Need::Required, "The type."),
            field(
                "latch",
                Kind::Flag,
                Need::Default("false"),
                "Whether ROS keeps the last message for subscribers that come later.",
            ),
            field(
                "apply_existing",
                Kind::Flag,
                Need::Default("false"),
                "`true` lifts the guard: the value is the bare message, and one that is there already when the bridge comes is published.",
            ),
        ],
        CONVERSION,
    ],
};

static EVENT: Table = Table {
    name: "`events`",
    doc: "Each message is one event. They keep their order in a queue of `queue_size`; what does not fit is dropped and counted, and nothing is kept for later. A latched topic's kept message is passed on once for each publisher.",
    fields: &[
        &[
            field("direction", Kind::Choice(DIRECTION), Need::Required, "Which way."),
            text("topic", ROS_NAME, Need::Required, "The topic."),
            text(
                "channel",
                PATTERN,
                Need::Required,
                "The message name on the hub; for `hub_to_ros` it may be a pattern.",
            ),
            text(
                "type",
                ROS_TYPE,
                Need::Optional,
                "The type. `hub_to_ros` needs it; otherwise what the publisher says.",
            ),
            only(
                TO_ROS,
                text(
                    "queue",
                    QUEUE,
                    Need::Optional,
                    "The queue group: its members share the events.",
                ),
            ),
            only(
                TO_ROS,
                field(
                    "latch",
                    Kind::Flag,
                    Need::Default("false"),
                    "Whether ROS keeps the last message for subscribers that come later.",
                ),
            ),
            only(
                TO_HUB,
                field("headers", Kind::Headers, Need::Optional, "Headers that every event gets."),
            ),
            field(
                "queue_size",
                Kind::Whole { min: 1, max: 1_000_000 },
                Need::Default("256"),
                "How many messages may wait.",
            ),
        ],
        CONVERSION,
    ],
};

static SERVICE: Table = Table {
    name: "`services`",
    doc: "A failure is a failure on the other side, too: a ROS caller gets a service error, a program on the hub gets no answer and its error says why where the hub knows. The bridge makes up no answer and repeats no call.",
    fields: &[
        &[
            field("direction", Kind::Choice(DIRECTION), Need::Required, "Which way."),
            text("service", ROS_NAME, Need::Required, "The service."),
            text("channel", CHANNEL, Need::Required, "The message name on the hub."),
            text(
                "type",
                ROS_TYPE,
                Need::Optional,
                "The type. `ros_to_hub` needs it; otherwise what the service says.",
            ),
            only(
                TO_ROS,
                text(
                    "queue",
                    QUEUE,
                    Need::Optional,
                    "The queue group in which the bridge answers.",
                ),
            ),
            field(
                "timeout",
                Kind::Number { above: 0.0, max: 86_400.0 },
                Need::Default("3"),
                "Seconds that the other side has.",
            ),
            field(
                "concurrency",
                Kind::Whole { min: 1, max: 64 },
                Need::Default("4"),
                "How many calls may run at once; further ones wait within their time.",
            ),
        ],
        CONVERSION,
    ],
};

static DEFAULTS: Table =
    Table { name: "`defaults`", doc: "The same keys in a route win.", fields: &[CONVERSION] };

/// The table of `hub.tls`.
pub fn tls() -> &'static Table {
    &TLS
}
