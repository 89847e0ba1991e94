//! The number of messages given up, kept in the stream: one message whose successor takes its place.
use super::{
    api::{last, publish},
    link::Link,
    names::Names,
    note::in_place,
    refusal::{NO_SUCH_STREAM, Refusal, WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_UNTOLD},
};
use bytes::Bytes;
use serde_json::{Value, json};

/// How often two processes may get in each other's way before one gives up counting.
const TRIES: usize = 50;

/// The number so far.
pub(super) async fn read(link: &Link, names: &Names) -> Result<u64, Refusal> {
    Ok(found(link, names).await?.1)
}

/// Adds to it. `for_ever`: whether the server can be told not to let the number age.
pub(super) async fn add(
    link: &Link,
    names: &Names,
    more: u64,
    for_ever: bool,
) -> Result<(), Refusal> {
    let mut refused = Refusal::Silence;
    for _ in 0..TRIES {
        let (place, number) = found(link, names).await?;
        let mut headers = in_place();
        headers.insert("Nats-Expected-Last-Subject-Sequence", place.to_string());
        if for_ever {
            headers.insert("Nats-TTL", "never");
        }
        let body = json!({"dropped": number.saturating_add(more)}).to_string();
        match publish(link, &names.dropped, &headers, Bytes::from(body)).await {
            Ok(()) => return Ok(()),
            Err(told) if told.is(WRONG_LAST_SEQUENCE) || told.is(WRONG_LAST_SEQUENCE_UNTOLD) => {
                refused = told;
            }
            Err(told) => return Err(told),
        }
    }
    Err(refused)
}

/// Where it lies and what it says.
async fn found(link: &Link, names: &Names) -> Result<(u64, u64), Refusal> {
    match last(link, &names.stream, &names.dropped).await {
        Ok(Some(stored)) => {
            let said: Value = serde_json::from_slice(&stored.body).unwrap_or_default();
            Ok((stored.sequence, said["dropped"].as_u64().unwrap_or(0)))
        }
        Ok(None) => Ok((0, 0)),
        Err(refusal) if refusal.is(NO_SUCH_STREAM) => Ok((0, 0)),
        Err(refusal) => Err(refusal),
    }
}
