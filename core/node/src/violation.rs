//! What a client can do wrong, the `-ERR` line it is told, and whether that ends its connection.

/// A reason for an `-ERR` line. Texts are those of `nats-server`, so clients recognise them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Violation {
    /// The line starts with no known verb, or a payload does not end where its length says.
    UnknownOperation,
    /// A known verb whose arguments cannot be read.
    Parser,
    /// Arguments of a control line longer than 4,096 bytes.
    ControlLine,
    /// A payload longer than the announced `max_payload`.
    MaxPayload,
    /// A subscription to a subject with an empty level or a misplaced `>`.
    InvalidSubject,
    /// A pedantic client published to a subject with wildcards or empty levels.
    InvalidPublishSubject,
    /// Missing or wrong credentials, or anything but CONNECT before them.
    Authorization,
    /// No CONNECT with credentials in time.
    AuthTimeout,
    /// A protocol number in CONNECT that does not exist.
    ClientProtocol,
    /// `no_responders` asked for without `headers`.
    NoRespondersNeedHeaders,
    /// HPUB by a client that did not announce headers.
    HeadersNotSupported,
    /// The client did not take its messages in time.
    SlowConsumer,
    /// The client answered no PING.
    StaleConnection,
    /// The node holds as many connections as it may.
    MaxConnections,
}

impl Violation {
    /// The text between the quotes of the `-ERR` line.
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnknownOperation => "Unknown Protocol Operation",
            Self::Parser => "Parser Error",
            Self::ControlLine => "maximum control line exceeded",
            Self::MaxPayload => "Maximum Payload Violation",
            Self::InvalidSubject => "Invalid Subject",
            Self::InvalidPublishSubject => "Invalid Publish Subject",
            Self::Authorization => "Authorization Violation",
            Self::AuthTimeout => "Authentication Timeout",
            Self::ClientProtocol => "invalid client protocol",
            Self::NoRespondersNeedHeaders => "no responders requires headers support",
            Self::HeadersNotSupported => "message headers not supported",
            Self::SlowConsumer => "Slow Consumer",
            Self::StaleConnection => "Stale Connection",
            Self::MaxConnections => "maximum connections exceeded",
        }
    }

    /// Whether the connection ends after the `-ERR` line.
    pub const fn closes(self) -> bool {
        !matches!(self, Self::InvalidSubject | Self::InvalidPublishSubject)
    }
}
