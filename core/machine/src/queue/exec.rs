//! What a program says that runs as a process for one batch: a JSON object a line, `{"ack":n}` or
//! `{"retry":n,"delaySeconds":s}`.
use super::{Act, Event};
use crate::{Code, Error, Result, json};
use alloc::format;
use serde::Deserialize;

/// A line that has been read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    /// The message is done.
    Ack {
        /// Its number.
        index: f64,
    },
    /// The message is to come back.
    Retry {
        /// Its number.
        index: f64,
        /// The delay in seconds; 0 is the queue's own.
        delay: f64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    ack: Option<f64>,
    retry: Option<f64>,
    #[serde(rename = "delaySeconds")]
    delay: Option<f64>,
}

impl Line {
    /// The longest line that is read, in bytes.
    pub const MAX_BYTES: usize = 1_024;

    /// Reads a line, without its end. A line that is neither form fails the event.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let limits = json::Limits { depth: 1, nodes: 8, bytes: Self::MAX_BYTES };
        let fields = json::validate(text, &limits)
            .ok()
            .and_then(|()| serde_json::from_slice::<Fields>(text).ok());
        match fields {
            Some(Fields { ack: Some(index), retry: None, delay: None }) => Ok(Self::Ack { index }),
            Some(Fields { ack: None, retry: Some(index), delay }) => {
                Ok(Self::Retry { index, delay: delay.unwrap_or(0.0) })
            }
            _ => {
                let shown = alloc::string::String::from_utf8_lossy(text);
                let shown = crate::name::shown(&shown);
                Err(Error::new(
                    Code::HandlerError,
                    format!(
                        "the program wrote {shown}; each line must be {{\"ack\":n}} or {{\"retry\":n,\"delaySeconds\":s}}"
                    ),
                ))
            }
        }
    }

    /// Does what the line says; see [`Event::ack`] and [`Event::retry`].
    pub fn apply(self, event: &mut Event) -> Result<Option<Act>> {
        match self {
            Self::Ack { index } => event.ack(index),
            Self::Retry { index, delay } => event.retry(index, delay),
        }
    }
}
