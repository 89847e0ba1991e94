//! What no handler may catch as an ordinary error: a type of its own, with no way from it to [`Error`].
use crate::{Code, Error};
use alloc::{boxed::Box, string::String};
use core::fmt;

/// Ends the current event or request as failed, whatever the program does with it.
///
/// A host raises it as something that an ordinary handler of errors, of queue errors above all, does not catch (in
/// Python under `BaseException`), and tells the current [`super::Event`], which fails even where it was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    code: Code,
    message: Box<str>,
}

impl Fault {
    /// A fault of the deployment: what was used is not granted or not configured.
    pub(super) fn deployment(message: impl Into<String>) -> Self {
        Self { code: Code::Deployment, message: message.into().into() }
    }

    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into().into() }
    }

    /// [`Code::Deployment`], or [`Code::QueueBodyDepth`] for a message nested too deep to be read.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The sentence for a person, without the code.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl core::error::Error for Fault {}

/// Why something was not done: an error that a program may catch, or a fault that it may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An ordinary error of queues.
    Error(Error),
    /// Ends the current event or request.
    Fault(Fault),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl core::error::Error for Refusal {}
