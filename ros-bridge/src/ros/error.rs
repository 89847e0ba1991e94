//! What can go wrong between the bridge and ROS: a stable code and a sentence for a person.
use std::fmt;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of thing went wrong. The names are stable: programs and dashboards may compare them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The ROS master cannot be reached.
    MasterUnreachable,
    /// The ROS master, or a node, answered a call with a failure.
    CallRefused,
    /// A node cannot be reached or broke the connection.
    NodeUnreachable,
    /// A node sent what the protocol does not allow.
    ProtocolViolation,
    /// No definition of a type was found.
    TypeUnknown,
    /// A definition has an error.
    TypeInvalid,
    /// The two sides mean different types or versions of a type.
    TypeMismatch,
    /// A name, an argument or an environment variable is not what it must be.
    SettingInvalid,
    /// A JSON value does not fit the type.
    ValueInvalid,
    /// The bytes of a message do not fit its type.
    MessageInvalid,
    /// A message has a value that its JSON form cannot carry under the rules chosen.
    NotRepresentable,
    /// Something is larger than the limit chosen for it.
    TooLarge,
    /// Nobody offers the service.
    ServiceUnknown,
    /// The service answered with a failure.
    ServiceFailed,
    /// The time allowed is over.
    Timeout,
    /// The node is closed.
    Closed,
}

impl Code {
    /// The stable spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MasterUnreachable => "MASTER_UNREACHABLE",
            Self::CallRefused => "CALL_REFUSED",
            Self::NodeUnreachable => "NODE_UNREACHABLE",
            Self::ProtocolViolation => "PROTOCOL_VIOLATION",
            Self::TypeUnknown => "TYPE_UNKNOWN",
            Self::TypeInvalid => "TYPE_INVALID",
            Self::TypeMismatch => "TYPE_MISMATCH",
            Self::SettingInvalid => "SETTING_INVALID",
            Self::ValueInvalid => "VALUE_INVALID",
            Self::MessageInvalid => "MESSAGE_INVALID",
            Self::NotRepresentable => "NOT_REPRESENTABLE",
            Self::TooLarge => "TOO_LARGE",
            Self::ServiceUnknown => "SERVICE_UNKNOWN",
            Self::ServiceFailed => "SERVICE_FAILED",
            Self::Timeout => "TIMEOUT",
            Self::Closed => "CLOSED",
        }
    }
}

/// An error: its code, and what was given, what is allowed and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub code: Code,
    /// The sentence for a person.
    pub message: String,
}

impl Error {
    /// An error of that kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.message, self.code.as_str())
    }
}

impl std::error::Error for Error {}
