//! Exit codes, and the error that carries one.
use posthouse_core::{Code, Error, queue::Refusal};

/// The operation failed.
pub const FAILED: u8 = 1;
/// A wrong option, argument, name or value was given; clap uses the same code.
pub const USAGE: u8 = 2;
/// There is no connection.
pub const OFFLINE: u8 = 3;
/// Nobody answered, or nobody is there to.
pub const UNANSWERED: u8 = 4;
/// The variable has no value.
pub const ABSENT: u8 = 5;
/// Ctrl-C ended the command before it was done; what shells say for a process killed by it.
pub const INTERRUPTED: u8 = 130;

/// Why a command ends with another code than 0.
#[derive(Debug)]
pub struct Failure {
    pub exit: u8,
    pub code: String,
    pub message: String,
}

impl Failure {
    pub fn new(exit: u8, code: &str, message: impl Into<String>) -> Self {
        Self { exit, code: code.to_owned(), message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(of(error.code()), error.code().as_str(), error.message())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Error(error) => error.into(),
            Refusal::Fault(fault) => {
                Self::new(of(fault.code()), fault.code().as_str(), fault.message())
            }
        }
    }
}

/// The exit code for an error code.
pub fn of(code: Code) -> u8 {
    match code {
        Code::InvalidOptions
        | Code::InvalidName
        | Code::InvalidTopic
        | Code::InvalidValue
        | Code::InvalidHeaders
        | Code::ValueTooLarge
        | Code::MessageTooLarge
        | Code::QueueBinding
        | Code::Deployment
        | Code::QueueBodyJson
        | Code::QueueBodyUnicode
        | Code::QueueBodyReserved
        | Code::QueueBodySize
        | Code::QueueBodyDepth
        | Code::QueueDelay
        | Code::QueueBatchJson
        | Code::QueueBatchCount
        | Code::QueueBatchItem
        | Code::QueueBatchSize
        | Code::QueueBatchText => USAGE,
        Code::Disconnected | Code::InvalidServer | Code::AuthFailed | Code::Closed => OFFLINE,
        Code::Timeout | Code::NoResponders => UNANSWERED,
        _ => FAILED,
    }
}
