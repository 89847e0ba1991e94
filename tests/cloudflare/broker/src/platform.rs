//! What workerd's queue binding says and hears, and what it tells of an event.
use crate::{Trouble, http::Message};
use posthouse_queue::Queues;
use serde::Deserialize;
use std::{borrow::Cow, fmt};

/// The answer to what was accepted.
pub const ACCEPTED: &str =
    r#"{"metadata":{"metrics":{"backlogCount":0,"backlogBytes":0,"oldestMessageTimestamp":0}}}"#;

#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(borrow)]
    messages: Vec<Item<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    content_type: Option<Cow<'a, str>>,
    delay_secs: Option<u32>,
    /// In base 64.
    #[serde(borrow)]
    body: Cow<'a, str>,
}

/// Keeps what a request brings; the error is what the Worker is told.
pub async fn accept(queues: &Queues, request: &Message) -> Result<(), String> {
    let kept = match request.word.trim_start_matches('/') {
        "message" => message(queues, request).await,
        "batch" => batch(queues, request).await,
        other => Err(format!("there is nothing at {other}").into()),
    };
    kept.map_err(|error| error.to_string())
}

async fn message(queues: &Queues, request: &Message) -> Result<(), Trouble> {
    only_json(request.header("x-msg-fmt"))?;
    let delay: u32 = request.header("x-msg-delay-secs").unwrap_or("0").parse()?;
    let body = std::str::from_utf8(&request.body)?;
    queues.send_text("Q", body, delay).await.map_err(|refusal| refusal.to_string().into())
}

async fn batch(queues: &Queues, request: &Message) -> Result<(), Trouble> {
    let sent: Sent<'_> = serde_json::from_slice(&request.body)?;
    let mut items = Vec::new();
    for Item { content_type, delay_secs, body } in sent.messages {
        only_json(content_type.as_deref())?;
        let body = String::from_utf8(data_encoding::BASE64.decode(body.as_bytes())?)?;
        items.push(format!(r#"{{"body":{body},"delaySeconds":{}}}"#, delay_secs.unwrap_or(0)));
    }
    queues
        .send_batch_text("Q", &format!("[{}]", items.join(",")))
        .await
        .map_err(|refusal| refusal.to_string().into())
}

fn only_json(content_type: Option<&str>) -> Result<(), Trouble> {
    match content_type {
        Some("json") => Ok(()),
        other => Err(format!("the content type {other:?} is not kept here; send json").into()),
    }
}

/// What workerd tells of an event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    #[serde(rename = "outcome")]
    how: String,
    explicit_acks: Vec<String>,
    retry_messages: Vec<Retry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Retry {
    msg_id: String,
    delay_seconds: Option<u32>,
}

impl Outcome {
    pub fn read(text: &[u8]) -> Result<Self, Trouble> {
        Ok(serde_json::from_slice(text)?)
    }

    pub fn is_success(&self) -> bool {
        self.how == "ok"
    }

    pub fn is_done(&self, id: &str) -> bool {
        self.explicit_acks.iter().any(|done| done == id)
    }

    /// The delay after which a message is wanted again, in seconds; 0 is the queue's own.
    pub fn comes_again(&self, id: &str) -> Option<u32> {
        let retry = self.retry_messages.iter().find(|retry| retry.msg_id == id)?;
        Some(retry.delay_seconds.unwrap_or(0))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the worker's event ended with {}", self.how)
    }
}
