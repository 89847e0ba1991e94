//! Notes beside messages: what the server's own count and clock do not say.
//!
//! A note lies in the same stream under the number of its message. It is written before the server is
//! told to deliver again, so whatever happens in between, what it says is true: these deliveries were not
//! begun, and before this time nobody shall have it.
use super::{
    api::{api, last, publish},
    link::Link,
    names::Names,
    refusal::Refusal,
};
use async_nats::HeaderMap;
use bytes::Bytes;
use serde_json::{Value, json};

/// What a note says of its message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// Deliveries that do not count as attempts.
    pub(super) uncounted: u64,
    /// Not before this time, in the server's Unix milliseconds; 0 where there is none.
    pub(super) due_ms: i64,
}

impl Note {
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let note: Value = serde_json::from_slice(text).ok()?;
        Some(Self { uncounted: note["uncounted"].as_u64()?, due_ms: note["due"].as_i64()? })
    }
}

/// Writes the note of a message in place of an earlier one.
pub(super) async fn write(
    link: &Link,
    names: &Names,
    sequence: u64,
    note: Note,
) -> Result<(), Refusal> {
    let body = json!({"uncounted": note.uncounted, "due": note.due_ms}).to_string();
    publish(link, &names.note(sequence), &in_place(), Bytes::from(body)).await?;
    Ok(())
}

/// Reads the note of a message.
pub(super) async fn read(
    link: &Link,
    names: &Names,
    sequence: u64,
) -> Result<Option<Note>, Refusal> {
    let stored = last(link, &names.stream, &names.note(sequence)).await?;
    Ok(stored.and_then(|stored| Note::parse(&stored.body)))
}

/// Removes the note of a message that is gone. One that stays behind does no harm and ages with the stream.
pub(super) async fn remove(link: &Link, names: &Names, sequence: u64) {
    let verb = format!("STREAM.PURGE.{}", names.stream);
    let _ = api(link, &verb, &json!({"filter": names.note(sequence)})).await;
}

/// Headers that make a message take the place of those before it on its subject.
pub(super) fn in_place() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Rollup", "sub");
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_are_none_say_nothing() {
        let note = Note { uncounted: 2, due_ms: 12 };
        assert_eq!(Note::parse(br#"{"uncounted":2,"due":12}"#), Some(note));
        for wrong in [&b""[..], b"[]", b"{}", br#"{"uncounted":-1,"due":0}"#] {
            assert_eq!(Note::parse(wrong), None);
        }
    }
}
