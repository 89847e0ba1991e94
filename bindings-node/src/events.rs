//! A batch of what happened, as one JSON text: `[kind, id, …]` for each event.
//!
//! Bodies of messages were validated when they arrived and are only copied.
use crate::text::{error, headers, list, number, replies, string};
use posthouse_kit::{Event, Failure, Level, Outcome};

/// A buffer that has once held a large text is not kept.
pub(crate) const KEEP: usize = 1 << 20;

/// First items of events; `lib/hub.js` has the same.
mod kind {
    pub(super) const DONE: u64 = 0;
    pub(super) const REPLY: u64 = 1;
    pub(super) const REPLIES: u64 = 2;
    pub(super) const FAILED: u64 = 3;
    pub(super) const READY: u64 = 4;
    pub(super) const ENDED: u64 = 5;
    pub(super) const WATCH: u64 = 6;
    pub(super) const STATUS: u64 = 7;
    pub(super) const INSTANCES: u64 = 8;
    pub(super) const LOG: u64 = 9;
    pub(super) const ASK: u64 = 10;
    pub(super) const CLOSED: u64 = 11;
    pub(super) const GONE: u64 = 12;
}

pub(crate) fn write(out: &mut Vec<u8>, events: &[Event]) {
    out.push(b'[');
    list(out, events.iter(), event);
    out.push(b']');
}

fn event(out: &mut Vec<u8>, event: &Event) {
    match event {
        Event::Done { op, result: Ok(Outcome::Unit) } => begin(out, kind::DONE, op.0),
        Event::Done { op, result: Ok(Outcome::Reply(reply)) } => {
            begin(out, kind::REPLY, op.0);
            out.push(b',');
            out.extend_from_slice(&reply.payload);
            out.push(b',');
            headers(out, &reply.headers);
        }
        Event::Done { op, result: Ok(Outcome::Replies(all, reason)) } => {
            begin(out, kind::REPLIES, op.0);
            out.push(b',');
            replies(out, all);
            out.push(b',');
            string(out, reason.as_str());
        }
        Event::Done { op, result: Err(Failure { error: why, partial }) } => {
            begin(out, kind::FAILED, op.0);
            out.push(b',');
            error(out, why);
            out.push(b',');
            replies(out, partial);
        }
        Event::Ready { sub } => begin(out, kind::READY, sub.0),
        Event::Ended { sub, error: why } => {
            begin(out, kind::ENDED, sub.0);
            if let Some(why) = why {
                out.push(b',');
                error(out, why);
            }
        }
        Event::Watch { watch } => begin(out, kind::WATCH, watch.0),
        Event::Status => begin(out, kind::STATUS, 0),
        Event::Instances => begin(out, kind::INSTANCES, 0),
        Event::Log { level, code, message } => {
            line(out, level_name(*level), code.map_or("", |code| code.as_str()), message);
        }
        Event::LogsLost { count } => {
            line(out, "warn", "", &format!("{count} lines were lost: nobody fetched them"));
        }
        Event::Ask { ask, what } => {
            begin(out, kind::ASK, ask.0);
            out.push(b',');
            string(out, what);
        }
        Event::Closed => begin(out, kind::CLOSED, 0),
        Event::Gone => begin(out, kind::GONE, 0),
    }
    out.push(b']');
}

fn begin(out: &mut Vec<u8>, kind: u64, id: u64) {
    out.push(b'[');
    number(out, kind);
    out.push(b',');
    number(out, id);
}

fn line(out: &mut Vec<u8>, level: &str, code: &str, message: &str) {
    begin(out, kind::LOG, 0);
    for text in [level, code, message] {
        out.push(b',');
        string(out, text);
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warning => "warn",
    }
}
