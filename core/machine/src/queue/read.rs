//! A batch as JSON text, the form in which every language gets it.
use super::{Fault, Message, Refusal, texts};
use crate::{Code, json, limits};
use alloc::{format, string::String, vec::Vec};

pub(super) fn text(queue: &str, messages: &[Message]) -> Result<String, Refusal> {
    let bodies: usize = messages.iter().map(|message| message.body.len() + message.id.len()).sum();
    let mut out = Vec::with_capacity(bodies + queue.len() + 64 * (messages.len() + 1));
    out.extend_from_slice(b"{\"queue\":");
    quoted(queue, &mut out);
    out.extend_from_slice(b",\"messages\":[");
    for (index, message) in messages.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"{\"id\":" } else { b",{\"id\":" });
        quoted(&message.id, &mut out);
        let Message { attempts, timestamp_ms, .. } = message;
        let numbers = format!(",\"attempts\":{attempts},\"timestamp\":{timestamp_ms},\"body\":");
        out.extend_from_slice(numbers.as_bytes());
        body(index, &message.body, &mut out)?;
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
    // Queue, id and bodies are Unicode, so it is.
    String::from_utf8(out).map_err(|_| texts::body_not_json(0).into())
}

fn quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    json::push_escaped(text.as_bytes(), out);
    out.push(b'"');
}

fn body(index: usize, text: &[u8], out: &mut Vec<u8>) -> Result<(), Refusal> {
    let reading = json::stringify(text, out, limits::QUEUE_READ_DEPTH, &[]);
    let reading = reading
        .filter(|reading| !reading.overflow && !reading.lone)
        .ok_or_else(|| texts::body_not_json(index))?;
    if reading.depth > limits::QUEUE_READ_DEPTH {
        let text = format!(
            "message {index} is nested {} deep; at most {} can be read, and the event has failed: correct the program that sent it",
            reading.depth,
            limits::QUEUE_READ_DEPTH
        );
        return Err(Fault::new(Code::QueueBodyDepth, text).into());
    }
    Ok(())
}
