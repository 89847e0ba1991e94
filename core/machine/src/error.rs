//! The one error of every operation: a stable code and a sentence for a person.
use alloc::{boxed::Box, string::String};
use core::fmt;

macro_rules! codes {
    ($($variant:ident = $text:literal),* $(,)?) => {
        /// What went wrong, as a stable code that every language shares.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $text] $variant),* }
        impl Code {
            /// The code as every language spells it.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $text),* } }
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
        }
    };
}
codes! {
    InvalidOptions = "INVALID_OPTIONS", InvalidName = "INVALID_NAME", InvalidTopic = "INVALID_TOPIC",
    InvalidValue = "INVALID_VALUE", InvalidHeaders = "INVALID_HEADERS", InvalidMessage = "INVALID_MESSAGE",
    InvalidServer = "INVALID_SERVER", InvalidRecord = "INVALID_RECORD", VersionCollision = "VERSION_COLLISION",
    ValueTooLarge = "VALUE_TOO_LARGE", MessageTooLarge = "MESSAGE_TOO_LARGE", MemoryFull = "MEMORY_FULL",
    BufferOverflow = "BUFFER_OVERFLOW", SlowConsumer = "SLOW_CONSUMER", Timeout = "TIMEOUT",
    Cancelled = "CANCELLED", Disconnected = "DISCONNECTED", Draining = "DRAINING",
    DrainTimeout = "DRAIN_TIMEOUT", DrainInHandler = "DRAIN_IN_HANDLER", BlockingInHandler = "BLOCKING_IN_HANDLER",
    Closed = "CLOSED", NoResponders = "NO_RESPONDERS", NoReplySubject = "NO_REPLY_SUBJECT",
    PermissionDenied = "PERMISSION_DENIED", AuthFailed = "AUTH_FAILED", HandlerError = "HANDLER_ERROR",
    Forked = "FORKED", Unsupported = "UNSUPPORTED", ClockRequired = "CLOCK_REQUIRED", Internal = "INTERNAL",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error: its code, a message that says what was given, what is allowed and what to do, and,
/// where a limit was passed, that limit and the actual figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    limit: Option<u64>,
    actual: Option<u64>,
}

/// The result of every operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An error with a code and a message. The message must carry no secret.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, message: message.into(), limit: None, actual: None }))
    }
    /// An error about a limit that was passed: `actual` was given where `limit` is allowed.
    pub fn over(code: Code, message: impl Into<String>, limit: u64, actual: u64) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            limit: Some(limit),
            actual: Some(actual),
        }))
    }
    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }
    /// The sentence for a person, without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// The limit that was passed, where the error is about one.
    pub fn limit(&self) -> Option<u64> {
        self.0.limit
    }
    /// The figure that was given, where the error is about a limit.
    pub fn actual(&self) -> Option<u64> {
        self.0.actual
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)
    }
}

impl core::error::Error for Error {}
