//! The server's refusals, and what kind of trouble each is.
use crate::{StoreError, Trouble};
use serde_json::Value;

/// Why the server did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It said so.
    Told {
        /// The number of the error.
        code: u64,
        /// In its own words.
        words: String,
    },
    /// Nobody listens: no JetStream, no such stream, or no leader at the moment.
    Nobody,
    /// It did not answer in time, or the connection was lost.
    Silence,
}

pub(super) const NO_SUCH_CONSUMER: u64 = 10014;
pub(super) const NO_SUCH_MESSAGE: u64 = 10037;
pub(super) const NO_SUCH_STREAM: u64 = 10059;
pub(super) const STREAM_EXISTS: u64 = 10058;
pub(super) const WRONG_LAST_SEQUENCE: u64 = 10071;
/// The same from servers that do not say which it is.
pub(super) const WRONG_LAST_SEQUENCE_UNTOLD: u64 = 10164;
pub(super) const BATCH_HOLDS_DUPLICATE: u64 = 10201;

/// The leader changed in the middle of a batch, which was then given up as a whole.
const BATCH_INCOMPLETE: u64 = 10176;

/// The cluster has no leader, the duplicate's first is on its way, too many batches at once: it passes.
const PASSING: [u64; 8] = [10008, 10009, 10118, 10158, BATCH_INCOMPLETE, 10202, 10210, 10211];
/// No room: messages, bytes, storage or memory of the account, the server or the stream.
const FULL: [u64; 7] = [10002, 10023, 10028, 10047, 10077, 10122, 10124];
/// JetStream is off.
const OFF: [u64; 2] = [10039, 10076];

impl Refusal {
    /// Reads an answer's `error`, if it has one.
    pub(super) fn of(answer: &Value) -> Option<Self> {
        let error = answer.get("error")?;
        let words = error["description"].as_str().unwrap_or("the server gave no reason").to_owned();
        let code = error["err_code"].as_u64().or(error["code"].as_u64()).unwrap_or(0);
        Some(Self::Told { code, words })
    }

    pub(super) fn is(&self, wanted: u64) -> bool {
        matches!(self, Self::Told { code, .. } if *code == wanted)
    }

    /// Whether asking again soon may well succeed.
    pub(super) fn passes(&self) -> bool {
        match self {
            Self::Told { code, words } => {
                // The last of these: servers of a cluster that has just started.
                let words_of_passing = ["leader", "in progress", "peer offline"];
                PASSING.contains(code) || words_of_passing.iter().any(|part| words.contains(part))
            }
            Self::Nobody | Self::Silence => true,
        }
    }

    /// The error for the program; `what` was not done.
    pub(super) fn error(&self, what: &str) -> StoreError {
        match self {
            Self::Told { code, words } => {
                let trouble = if FULL.contains(code) {
                    Trouble::Full
                } else if OFF.contains(code) {
                    Trouble::Forbidden
                } else if self.passes() {
                    Trouble::Unreachable
                } else {
                    Trouble::Other
                };
                StoreError::new(trouble, format!("{what}: the server says {words} ({code})"))
            }
            Self::Nobody => StoreError::new(
                Trouble::Unreachable,
                format!(
                    "{what}: nobody on the server answers for it; is JetStream on (nats-server -js), and \
                     does the queue's stream still exist?"
                ),
            ),
            Self::Silence => StoreError::new(
                Trouble::Unreachable,
                format!("{what}: the server is away or did not answer in time"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_are_sorted() {
        assert_eq!(Refusal::of(&json!({"stream": "s", "seq": 1})), None);
        for (code, trouble) in [
            (10077, Trouble::Full),
            (10008, Trouble::Unreachable),
            (10039, Trouble::Forbidden),
            (10052, Trouble::Other),
        ] {
            let answer = json!({"error": {"code": 400, "err_code": code, "description": "words"}});
            let refusal = Refusal::of(&answer).unwrap();
            let error = refusal.error("sending");
            assert_eq!(error.trouble(), trouble);
            assert!(error.words().contains("words"), "{error}");
            assert_eq!(refusal.passes(), trouble == Trouble::Unreachable);
        }
        assert!(Refusal::Silence.passes() && Refusal::Nobody.passes());
    }
}
