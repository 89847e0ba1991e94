//! What the module holds between calls, and how it answers them.
use crate::{consuming::Events, sending::Site};
use posthouse_core::{
    Code, Error,
    queue::{Batch, Refusal},
};
use serde::Serialize;

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// As it should; what it gives is in the output, as JSON.
    Done = 0,
    /// It was refused; the output is the error.
    Error = 1,
    /// It is a fault; the output tells it.
    Fault = 2,
    /// As it should, and the platform is not to be called.
    Nothing = 3,
}

#[derive(Default)]
pub struct State {
    pub input: Vec<u8>,
    pub output: Vec<u8>,
    /// The deployment that was read last: most calls are about the same one.
    pub site: Option<Site>,
    pub batch: Option<Batch>,
    /// How many items of the batch have come.
    pub items: usize,
    pub events: Events,
}

/// An error as the host gets it.
#[derive(Serialize)]
struct Told<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
}

impl State {
    /// Puts a value into the output.
    pub fn give<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<Status, Refusal> {
        self.output = serde_json::to_vec(value)
            .map_err(|error| Error::new(Code::Internal, format!("cannot be written: {error}")))?;
        Ok(Status::Done)
    }

    pub fn settle(&mut self, result: &Result<Status, Refusal>) -> Status {
        let (told, status) = match result {
            Ok(status) => return *status,
            Err(Refusal::Error(error)) => (
                Told {
                    code: error.code().as_str(),
                    message: error.message(),
                    limit: error.limit(),
                    actual: error.actual(),
                    index: error.index(),
                },
                Status::Error,
            ),
            Err(Refusal::Fault(fault)) => (
                Told {
                    code: fault.code().as_str(),
                    message: fault.message(),
                    limit: None,
                    actual: None,
                    index: None,
                },
                Status::Fault,
            ),
        };
        self.output = serde_json::to_vec(&told).unwrap_or_default();
        status
    }
}

/// Texts of these lengths, one behind the other. What is not there is empty.
pub fn split<const N: usize>(mut input: &[u8], lengths: [usize; N]) -> [&[u8]; N] {
    lengths.map(|length| {
        let (text, rest) = input.split_at_checked(length).unwrap_or_default();
        input = rest;
        text
    })
}
