//! What clients may say and the exact answer, INFO aside. Run against the node, whole and cut to
//! bytes, and against a real nats-server.

/// One connection's conversation.
#[allow(dead_code)] // no test reads all of it
pub struct Script {
    pub name: &'static str,
    pub say: &'static [u8],
    pub hear: &'static [u8],
    /// Whether the connection is closed after that.
    pub closes: bool,
    /// What nats-server says instead, where the node differs on purpose.
    pub nats: Option<&'static [u8]>,
}

const fn open(name: &'static str, say: &'static [u8], hear: &'static [u8]) -> Script {
    Script { name, say, hear, closes: false, nats: None }
}

const fn shut(name: &'static str, say: &'static [u8], hear: &'static [u8]) -> Script {
    Script { name, say, hear, closes: true, nats: None }
}

/// nats-server closes without a word where arguments cannot be read; the node says why.
const fn garbled(name: &'static str, say: &'static [u8]) -> Script {
    Script { name, say, hear: b"-ERR 'Parser Error'\r\n", closes: true, nats: Some(b"") }
}

macro_rules! plain {
    ($text:literal) => {
        concat!("CONNECT {\"verbose\":false,\"pedantic\":false}\r\n", $text).as_bytes()
    };
}
macro_rules! pedantic {
    ($text:literal) => {
        concat!("CONNECT {\"verbose\":false,\"pedantic\":true}\r\n", $text).as_bytes()
    };
}
macro_rules! full {
    ($text:literal) => {
        concat!(
            "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true}\r\n",
            $text
        )
        .as_bytes()
    };
}

const UNKNOWN: &[u8] = b"-ERR 'Unknown Protocol Operation'\r\n";
const SUBJECT: &[u8] = b"-ERR 'Invalid Subject'\r\nPONG\r\n";
const PAYLOAD: &[u8] = b"-ERR 'Maximum Payload Violation'\r\n";

pub const SCRIPTS: &[Script] = &[
    // Verbs and lines.
    open("before CONNECT", b"SUB a 1\r\nPUB a 2\r\nhi\r\nPING\r\n", b"+OK\r\n+OK\r\nMSG a 1 2\r\nhi\r\nPONG\r\n"),
    open("CONNECT without fields", b"CONNECT {}\r\nPING\r\n", b"+OK\r\nPONG\r\n"),
    open("null fields", b"CONNECT {\"verbose\":null,\"name\":null}\r\nPING\r\n", b"+OK\r\nPONG\r\n"),
    open("no blank after CONNECT", b"CONNECT{}\r\nPING\r\n", b"+OK\r\nPONG\r\n"),
    open("CONNECT again", plain!("CONNECT {\"verbose\":true}\r\nSUB a 1\r\nPING\r\n"), b"+OK\r\n+OK\r\nPONG\r\n"),
    open(
        "any case",
        b"cOnnect {\"verbose\":false}\r\nsUb a 1\r\npuB a 2\r\nhi\r\nunsub 1\r\nPub a 0\r\n\r\nping\r\npong\r\n+ok\r\n",
        b"MSG a 1 2\r\nhi\r\nPONG\r\n",
    ),
    open(
        "verbose",
        b"CONNECT {\"verbose\":true,\"headers\":true,\"no_responders\":true}\r\nSUB a 1\r\nPUB a 2\r\nhi\r\nPONG\r\nUNSUB 1 5\r\nUNSUB 1\r\nUNSUB 77\r\nHPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n",
        b"+OK\r\n+OK\r\n+OK\r\nMSG a 1 2\r\nhi\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\nPONG\r\n",
    ),
    open("bare line feeds", plain!("SUB a 1\nPUB a 2\r\nhi\r\nPING\n"), b"MSG a 1 2\r\nhi\r\nPONG\r\n"),
    open("text after PING and PONG", plain!("PONGxyz\r\nPINGxyz foo\r\nPING \r\n"), b"PONG\r\nPONG\r\n"),
    open("+OK and INFO mean nothing", plain!("+OK\r\nINFO {}\r\nPING\r\n"), b"PONG\r\n"),
    shut("-ERR ends", plain!("-ERR 'x'\r\nPING\r\n"), b""),
    shut("unknown verb", plain!("FOO\r\nPING\r\n"), UNKNOWN),
    shut("unknown letter", plain!("PUX"), UNKNOWN),
    shut("empty line", plain!("\r\n"), UNKNOWN),
    shut("leading blank", plain!(" PING\r\n"), UNKNOWN),
    shut("HTTP", b"GET / HTTP/1.1\r\n\r\n", UNKNOWN),
    shut("MSG from a client", plain!("MSG a 1 2\r\nhi\r\n"), UNKNOWN),
    shut("HMSG from a client", full!("HMSG a 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"), UNKNOWN),
    shut("RS+ from a client", plain!("RS+ a\r\n"), UNKNOWN),
    garbled("CONNECT is no JSON", b"CONNECT {x}\r\nPING\r\n"),
    garbled("CONNECT with a wrong type", b"CONNECT {\"verbose\":\"yes\"}\r\nPING\r\n"),
    garbled("CONNECT with nothing", b"CONNECT \r\nPING\r\n"),
    garbled("CONNECT with an array", b"CONNECT []\r\nPING\r\n"),
    garbled("text after CONNECT", b"CONNECT {} x\r\nPING\r\n"),
    shut("protocol 2", b"CONNECT {\"protocol\":2}\r\nPING\r\n", b"-ERR 'invalid client protocol'\r\n"),
    shut("protocol -1", b"CONNECT {\"protocol\":-1}\r\nPING\r\n", b"-ERR 'invalid client protocol'\r\n"),
    shut(
        "no_responders without headers",
        b"CONNECT {\"no_responders\":true}\r\nPING\r\n",
        b"-ERR 'no responders requires headers support'\r\n",
    ),
    // PUB.
    open("empty payload", plain!("SUB a 1\r\nPUB a 0\r\n\r\nPING\r\n"), b"MSG a 1 0\r\n\r\nPONG\r\n"),
    open("reply subject", plain!("SUB a 1\r\nPUB a r 2\r\nhi\r\nPING\r\n"), b"MSG a 1 r 2\r\nhi\r\nPONG\r\n"),
    open("tabs", plain!("SUB a 1\r\nPUB\ta\t2\r\nhi\r\nPING\r\n"), b"MSG a 1 2\r\nhi\r\nPONG\r\n"),
    open("many blanks", plain!("SUB  a  1 \r\nPUB   a   2  \r\nhi\r\nPING\r\n"), b"MSG a 1 2\r\nhi\r\nPONG\r\n"),
    open("leading zeros", plain!("SUB a 1\r\nPUB a 0002\r\nhi\r\nPING\r\n"), b"MSG a 1 0002\r\nhi\r\nPONG\r\n"),
    open("line ends in a payload", plain!("SUB a 1\r\nPUB a 12\r\n\r\nPUB a 1\r\n\n\r\nPING\r\n"), b"MSG a 1 12\r\n\r\nPUB a 1\r\n\n\r\nPONG\r\n"),
    shut("payload too long", plain!("SUB a 1\r\nPUB a 2\r\nhix\r\nPING\r\n"), UNKNOWN),
    shut("payload too short", plain!("SUB a 1\r\nPUB a 4\r\nhi\r\nPING\r\n"), UNKNOWN),
    shut("payload without CR", plain!("SUB a 1\r\nPUB a 2\nhi\nPING\r\n"), UNKNOWN),
    shut("PUB without blank", plain!("PUB\r\n"), UNKNOWN),
    garbled("PUB without anything", plain!("PUB \r\nhi\r\n")),
    garbled("PUB without a size", plain!("PUB a\r\nhi\r\n")),
    garbled("PUB with a word for a size", plain!("PUB a b\r\nhi\r\n")),
    garbled("PUB with too much", plain!("PUB a b c 2\r\nhi\r\n")),
    garbled("PUB with a negative size", plain!("PUB a -1\r\nhi\r\n")),
    garbled("PUB with a signed size", plain!("PUB a +2\r\nhi\r\n")),
    garbled("PUB with a size of eleven digits", plain!("PUB a 99999999999\r\n")),
    shut("PUB above max_payload", plain!("PUB a 1048577\r\n"), PAYLOAD),
    open(
        "published wildcards are plain levels",
        plain!("SUB a.* 1\r\nPUB a.* 1\r\n1\r\nPUB a.> 1\r\n2\r\nPUB b.> 1\r\n3\r\nPUB > 1\r\n4\r\nPING\r\n"),
        b"MSG a.* 1 1\r\n1\r\nMSG a.> 1 1\r\n2\r\nPONG\r\n",
    ),
    open(
        "empty levels reach nobody",
        plain!("SUB a.> 1\r\nSUB > 2\r\nPUB a..b 1\r\n3\r\nPUB a. 1\r\n4\r\nPUB .a 1\r\n5\r\nPING\r\n"),
        b"PONG\r\n",
    ),
    open(
        "pedantic",
        pedantic!("SUB a.* 1\r\nPUB a.* 1\r\n1\r\nPUB a.b 1\r\n2\r\nPUB a..b 1\r\n3\r\nPING\r\n"),
        b"-ERR 'Invalid Publish Subject'\r\nMSG a.* 1 1\r\n1\r\nMSG a.b 1 1\r\n2\r\n-ERR 'Invalid Publish Subject'\r\nPONG\r\n",
    ),
    open("pedantic about no reply", pedantic!("SUB a 1\r\nPUB a r.* 1\r\n1\r\nPING\r\n"), b"MSG a 1 r.* 1\r\n1\r\nPONG\r\n"),
    open("any bytes in subjects", plain!("SUB \u{e9}\x01 1\r\nPUB \u{e9}\x01 1\r\nx\r\nPING\r\n"), "MSG \u{e9}\x01 1 1\r\nx\r\nPONG\r\n".as_bytes()),
    open(
        "$SYS and $JS are subjects like others",
        full!("SUB $SYS.> 1\r\nSUB r 2\r\nPUB $SYS.x 1\r\nx\r\nPUB $JS.API.NONE.x r 0\r\n\r\nPING\r\n"),
        b"MSG $SYS.x 1 1\r\nx\r\nHMSG r 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n",
    ),
    // HPUB.
    open("headers", full!("SUB a 1\r\nHPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n"), b"HMSG a 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPONG\r\n"),
    open("headers and reply", full!("SUB a 1\r\nHPUB a r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n"), b"HMSG a 1 r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPONG\r\n"),
    open("headers with leading zeros", full!("SUB a 1\r\nHPUB a 012 0014\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n"), b"HMSG a 1 012 0014\r\nNATS/1.0\r\n\r\nhi\r\nPONG\r\n"),
    open("headers unread", full!("SUB a 1\r\nHPUB a 4 6\r\nxxxxhi\r\nPING\r\n"), b"HMSG a 1 4 6\r\nxxxxhi\r\nPONG\r\n"),
    Script {
        name: "HPUB of a client without headers",
        say: plain!("HPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n"),
        hear: b"-ERR 'message headers not supported'\r\n",
        closes: true,
        nats: Some(b""),
    },
    shut("HPUB without blank", full!("HPUB\r\n"), UNKNOWN),
    garbled("HPUB with a header longer than all", full!("HPUB a 15 14\r\n")),
    garbled("HPUB with one size", full!("HPUB a 14\r\n")),
    garbled("HPUB with a negative header", full!("HPUB a -1 2\r\n")),
    garbled("HPUB with a word for a size", full!("HPUB a 12 x\r\n")),
    shut("HPUB above max_payload", full!("HPUB a 12 1048577\r\n"), PAYLOAD),
    // SUB.
    shut("SUB without blank", plain!("SUB\r\n"), UNKNOWN),
    garbled("SUB without a sid", plain!("SUB a\r\nPING\r\n")),
    garbled("SUB with too much", plain!("SUB a b c d\r\nPING\r\n")),
    open("SUB with an empty level", plain!("SUB a..b 1\r\nPING\r\n"), SUBJECT),
    open("SUB with an empty first level", plain!("SUB .a 1\r\nPING\r\n"), SUBJECT),
    open("SUB with an empty last level", plain!("SUB a. 1\r\nPING\r\n"), SUBJECT),
    open("SUB with > in the middle", plain!("SUB a.>.b 1\r\nPING\r\n"), SUBJECT),
    open("SUB with > first", plain!("SUB >.a 1\r\nPING\r\n"), SUBJECT),
    open(
        "wildcard signs inside a level",
        plain!("SUB a* 1\r\nSUB b>c 2\r\nPUB a* 1\r\n1\r\nPUB ab 1\r\n2\r\nPUB b>c 1\r\n3\r\nPING\r\n"),
        b"MSG a* 1 1\r\n1\r\nMSG b>c 2 1\r\n3\r\nPONG\r\n",
    ),
    open("> needs a level", plain!("SUB a.> 1\r\nPUB a 1\r\n1\r\nPUB a.b.c 1\r\n2\r\nPING\r\n"), b"MSG a.b.c 1 1\r\n2\r\nPONG\r\n"),
    open("* is one level", plain!("SUB *.b 1\r\nPUB b 1\r\n1\r\nPUB a.b 1\r\n2\r\nPUB a.a.b 1\r\n3\r\nPING\r\n"), b"MSG a.b 1 1\r\n2\r\nPONG\r\n"),
    open("sid used twice", plain!("SUB a 1\r\nSUB b 1\r\nPUB a 1\r\n1\r\nPUB b 1\r\n2\r\nPING\r\n"), b"MSG a 1 1\r\n1\r\nPONG\r\n"),
    open("two sids", plain!("SUB a x\r\nSUB a y\r\nPUB a 1\r\n1\r\nPING\r\n"), b"MSG a x 1\r\n1\r\nMSG a y 1\r\n1\r\nPONG\r\n"),
    open("one of a queue group", plain!("SUB a q 7\r\nPUB a 1\r\n1\r\nPUB a 1\r\n2\r\nPING\r\n"), b"MSG a 7 1\r\n1\r\nMSG a 7 1\r\n2\r\nPONG\r\n"),
    // UNSUB.
    shut("UNSUB without blank", plain!("UNSUB\r\n"), UNKNOWN),
    garbled("UNSUB with too much", plain!("UNSUB 1 2 3\r\nPING\r\n")),
    open("UNSUB", plain!("SUB a 1\r\nUNSUB 1\r\nPUB a 1\r\n1\r\nPING\r\n"), b"PONG\r\n"),
    open("UNSUB of another", plain!("SUB a 1\r\nUNSUB 9\r\nPUB a 1\r\n1\r\nPING\r\n"), b"MSG a 1 1\r\n1\r\nPONG\r\n"),
    open("UNSUB with max", plain!("SUB a 1\r\nUNSUB 1 2\r\nPUB a 1\r\n1\r\nPUB a 1\r\n2\r\nPUB a 1\r\n3\r\nPING\r\n"), b"MSG a 1 1\r\n1\r\nMSG a 1 1\r\n2\r\nPONG\r\n"),
    open("UNSUB with a max already reached", plain!("SUB a 1\r\nPUB a 1\r\n1\r\nPUB a 1\r\n2\r\nUNSUB 1 2\r\nPUB a 1\r\n3\r\nPING\r\n"), b"MSG a 1 1\r\n1\r\nMSG a 1 1\r\n2\r\nPONG\r\n"),
    open("UNSUB counts what came before", plain!("SUB a 1\r\nPUB a 1\r\n1\r\nUNSUB 1 2\r\nPUB a 1\r\n2\r\nPUB a 1\r\n3\r\nPING\r\n"), b"MSG a 1 1\r\n1\r\nMSG a 1 1\r\n2\r\nPONG\r\n"),
    open("UNSUB with max 0", plain!("SUB a 1\r\nUNSUB 1 0\r\nPUB a 1\r\n1\r\nPING\r\n"), b"PONG\r\n"),
    open("UNSUB with a word for max", plain!("SUB a 1\r\nUNSUB 1 x\r\nPUB a 1\r\n1\r\nPING\r\n"), b"PONG\r\n"),
    open("sid free again", plain!("SUB a 1\r\nUNSUB 1\r\nSUB b 1\r\nPUB b 1\r\n1\r\nPING\r\n"), b"MSG b 1 1\r\n1\r\nPONG\r\n"),
    // Echo and no responders.
    open("no echo", b"CONNECT {\"verbose\":false,\"echo\":false}\r\nSUB a 1\r\nPUB a 1\r\n1\r\nPING\r\n", b"PONG\r\n"),
    open(
        "nobody else is no responder",
        b"CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false,\"headers\":true,\"no_responders\":true}\r\nSUB a 1\r\nSUB r 2\r\nPUB a r 1\r\n1\r\nPING\r\n",
        b"HMSG r 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n",
    ),
    open("no responders", full!("SUB r.* 2\r\nPUB a r.1 1\r\n1\r\nPUB a 1\r\n1\r\nPING\r\n"), b"HMSG r.1 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n"),
    open("no responders to a request with headers", full!("SUB r 2\r\nHPUB a r 12 12\r\nNATS/1.0\r\n\r\n\r\nPING\r\n"), b"HMSG r 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n"),
    open("no responders unasked", plain!("SUB r 2\r\nPUB a r 1\r\n1\r\nPING\r\n"), b"PONG\r\n"),
    open("no responders and no inbox", full!("PUB a r 1\r\n1\r\nPING\r\n"), b"PONG\r\n"),
    open("no responders and a queue for an inbox", full!("SUB r q 2\r\nPUB a r 1\r\n1\r\nPING\r\n"), b"PONG\r\n"),
    open("no responders on the exact inbox", full!("SUB r.* 2\r\nSUB r.1 3\r\nPUB a r.1 1\r\n1\r\nPING\r\n"), b"HMSG r.1 3 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n"),
    open(
        "no responders does not count",
        full!("SUB r.* 2\r\nUNSUB 2 1\r\nPUB a r.1 1\r\n1\r\nPUB a r.2 1\r\n1\r\nPUB r.3 1\r\n1\r\nPUB r.4 1\r\n1\r\nPING\r\n"),
        b"HMSG r.1 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\nHMSG r.2 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\nMSG r.3 2 1\r\n1\r\nPONG\r\n",
    ),
    open("no responders on an empty level", full!("SUB r 1\r\nPUB a..b r 1\r\n1\r\nPING\r\n"), b"HMSG r 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n"),
];
