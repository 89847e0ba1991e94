//! The server's JetStream interface: JSON in, JSON out, on subjects.
use super::{
    clock::local_ms,
    link::{Link, ONE_ANSWER},
    refusal::{NO_SUCH_MESSAGE, Refusal},
};
use async_nats::{HeaderMap, header::NATS_MESSAGE_ID};
use bytes::Bytes;
use data_encoding::BASE64;
use serde_json::{Value, json};

/// A message as it lies in a stream.
pub(super) struct Stored {
    pub(super) sequence: u64,
    pub(super) subject: String,
    pub(super) time_ms: i64,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// Asks the interface. Every question that is asked here may be asked twice.
pub(super) async fn api(link: &Link, verb: &str, body: &Value) -> Result<Value, Refusal> {
    let subject = format!("$JS.API.{verb}");
    let payload = Bytes::from(if body.is_null() { String::new() } else { body.to_string() });
    let mut attempts = link.attempts();
    loop {
        attempts.ready().await?;
        let asked = local_ms();
        let answer = link.ask(&subject, None, payload.clone(), ONE_ANSWER).await;
        if let Some(last) = attempts.last(answer.and_then(|answer| read(&answer.payload))).await {
            if let Ok(answer) = &last {
                link.learn_time(asked, answer);
            }
            return last;
        }
    }
}

/// Publishes and waits for the confirmation; publishes again where there is none, which the server
/// recognises by the id.
pub(super) async fn publish(
    link: &Link,
    subject: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<(), Refusal> {
    let mut attempts = link.attempts();
    loop {
        attempts.ready().await?;
        let answer = link.ask(subject, Some(headers), body.clone(), ONE_ANSWER).await;
        let answer = answer.and_then(|answer| kept(&read(&answer.payload)?));
        if let Some(last) = attempts.last(answer).await {
            return last;
        }
    }
}

/// Reads the confirmation of a publish.
pub(super) fn kept(answer: &Value) -> Result<(), Refusal> {
    match answer["seq"].as_u64() {
        Some(_) if answer["stream"].is_string() => Ok(()),
        _ => Err(garbled()),
    }
}

/// Reads an answer.
pub(super) fn read(payload: &[u8]) -> Result<Value, Refusal> {
    let answer: Value = serde_json::from_slice(payload).map_err(|_| garbled())?;
    match Refusal::of(&answer) {
        Some(refusal) => Err(refusal),
        None => Ok(answer),
    }
}

fn garbled() -> Refusal {
    Refusal::Told { code: 0, words: "something that is no answer of JetStream".into() }
}

/// The last message of a subject, from the leader: what was confirmed is seen.
pub(super) async fn last(
    link: &Link,
    stream: &str,
    subject: &str,
) -> Result<Option<Stored>, Refusal> {
    get(link, stream, &json!({"last_by_subj": subject})).await
}

/// The first message of a subject at this place of the stream or after it.
pub(super) async fn next(
    link: &Link,
    stream: &str,
    subject: &str,
    from: u64,
) -> Result<Option<Stored>, Refusal> {
    get(link, stream, &json!({"seq": from, "next_by_subj": subject})).await
}

async fn get(link: &Link, stream: &str, which: &Value) -> Result<Option<Stored>, Refusal> {
    let answer = match api(link, &format!("STREAM.MSG.GET.{stream}"), which).await {
        Ok(answer) => answer,
        Err(refusal) if refusal.is(NO_SUCH_MESSAGE) => return Ok(None),
        Err(refusal) => return Err(refusal),
    };
    let message = &answer["message"];
    let bytes = |name: &str| {
        let text = message[name].as_str().unwrap_or_default();
        BASE64.decode(text.as_bytes()).map_err(|_| garbled())
    };
    Ok(Some(Stored {
        sequence: message["seq"].as_u64().ok_or_else(garbled)?,
        subject: message["subject"].as_str().unwrap_or_default().to_owned(),
        time_ms: message["time"].as_str().and_then(super::clock::parse).unwrap_or(0),
        headers: headers(&bytes("hdrs")?),
        body: bytes("data")?,
    }))
}

/// Reads a message's headers as they lie in a stream.
fn headers(block: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    // The first line is the version.
    for line in String::from_utf8_lossy(block).split("\r\n").skip(1) {
        if let Some((name, value)) = line.split_once(':')
            && let (Ok(name), Ok(value)) = (
                name.parse::<async_nats::HeaderName>(),
                value.trim().parse::<async_nats::HeaderValue>(),
            )
        {
            headers.append(name, value);
        }
    }
    headers
}

/// A header's value as text.
pub(super) fn text<'a>(headers: Option<&'a HeaderMap>, name: &str) -> Option<&'a str> {
    headers?.get(name).map(async_nats::HeaderValue::as_str)
}

/// A header's value as a number.
pub(super) fn number(headers: Option<&HeaderMap>, name: &str) -> Option<i64> {
    text(headers, name)?.parse().ok()
}

/// Headers that hold nothing but the id by which the server knows a message again.
pub(super) fn with_id(id: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(NATS_MESSAGE_ID, id);
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_blocks_are_read() {
        let read = headers(b"NATS/1.0\r\nPosthouse-Time: 12\r\nNats-Msg-Id:a:b\r\nbroken\r\n\r\n");
        assert_eq!(number(Some(&read), "Posthouse-Time"), Some(12));
        assert_eq!(text(Some(&read), "Nats-Msg-Id"), Some("a:b"));
        assert_eq!(text(Some(&read), "Other"), None);
        assert_eq!(number(None, "Other"), None);
        assert!(headers(b"\xff").is_empty());
    }

    #[test]
    fn answers_that_are_none_are_refused() {
        kept(&read(br#"{"stream":"s","seq":7}"#).unwrap()).unwrap();
        assert!(read(b"no JSON").is_err());
        assert!(kept(&json!({})).is_err());
        assert!(
            read(br#"{"error":{"code":404,"err_code":10037,"description":"no"}}"#)
                .unwrap_err()
                .is(10037)
        );
    }
}
