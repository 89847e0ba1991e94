//! Sending messages and replies, and what every received body must pass.
use super::{Hub, Life, SubId, closed, disconnected};
use crate::{
    Code, Error, Result, frame,
    headers::{HeaderLimits, Headers, Status},
    json,
    link::{Link, LinkId, Stage},
    name,
    time::Now,
    vars::VarId,
};
use alloc::{boxed::Box, format};

/// What a reply needs: which message of which subscription it answers, on which connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub(crate) sub: SubId,
    pub(crate) seq: u64,
    pub(crate) link: LinkId,
    pub(crate) reply: Option<Box<str>>,
}

impl Token {
    /// Whether the message wants an answer.
    pub fn has_reply(&self) -> bool {
        self.reply.is_some()
    }

    /// The subscription that the message came for.
    pub fn sub(&self) -> SubId {
        self.sub
    }
}

/// What a received message may be.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub body: json::Limits,
    pub headers: HeaderLimits,
}

/// Checks a received message: its headers and its JSON, which it gives as text.
pub(super) fn check_incoming<'a>(
    headers: &[u8],
    payload: &'a [u8],
    limits: &Incoming,
) -> Result<(Option<Status>, Headers, &'a str)> {
    let (status, headers) = if headers.is_empty() {
        (None, Headers::default())
    } else {
        let (status, headers) = Headers::decode(headers)?;
        headers.check(&limits.headers)?;
        (status, headers)
    };
    let body = json::validated(payload, &limits.body)
        .map_err(|e| e.into_error(Code::InvalidMessage, Code::MessageTooLarge))?;
    Ok((status, headers, body))
}

impl Hub {
    /// The connection in use, if messages may pass over it now.
    pub(super) fn active_link(&self) -> Option<&Link> {
        let switching = self.handoff.as_ref().is_some_and(super::handoff::Handoff::retiring);
        self.link.as_ref().filter(|l| l.stage == Stage::Active && !switching)
    }

    pub(super) fn check_active(&self) -> Result<()> {
        if self.active_link().is_some() { Ok(()) } else { Err(disconnected()) }
    }

    /// Publishes an event: accepted by the bounded transport, or refused with nothing sent.
    ///
    /// # Errors
    /// `INVALID_TOPIC`, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`, `DISCONNECTED`, `DRAINING`, `CLOSED`.
    pub fn publish(&mut self, var: VarId, payload: &[u8], headers: Option<&Headers>) -> Result<()> {
        self.check_open()?;
        self.prepare_topic(var)?;
        self.check_active()?;
        self.check_size(payload, headers, 0)?;
        if let (Some(link), Some(topic)) = (&mut self.link, &self.vars.get(var).topic) {
            frame::publish(&mut link.out, topic, None, headers, payload);
        }
        self.count_sent(payload.len());
        Ok(())
    }

    /// Sends one reply to a message whose handler runs.
    ///
    /// # Errors
    /// `NO_REPLY_SUBJECT`; `CLOSED` when the handler has ended; `DISCONNECTED` when the message
    /// came over an earlier connection; `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`.
    pub fn reply(
        &mut self,
        token: &Token,
        payload: &[u8],
        headers: Option<&Headers>,
    ) -> Result<()> {
        if self.life == Life::Closed {
            return Err(closed());
        }
        if !self.subs.all.get(&token.sub).is_some_and(|sub| sub.is_handling(token.seq)) {
            return Err(Error::new(
                Code::Closed,
                "the handler of this message has ended; reply while it runs",
            ));
        }
        let Some(reply) = &token.reply else {
            return Err(Error::new(
                Code::NoReplySubject,
                "the message is an event and wants no answer; reply only to requests",
            ));
        };
        if !self.link.as_ref().is_some_and(|l| l.id == token.link && l.stage == Stage::Active) {
            return Err(Error::new(
                Code::Disconnected,
                "the connection over which the message came has gone; its sender must ask again",
            ));
        }
        self.check_size(payload, headers, 0)?;
        if let Some(link) = &mut self.link {
            frame::publish(&mut link.out, reply, None, headers, payload);
        }
        self.count_sent(payload.len());
        Ok(())
    }

    /// Sends a handler's return value; what fails is reported, for nobody waits for it.
    pub fn answer(&mut self, now: Now, token: &Token, payload: &[u8], headers: Option<&Headers>) {
        if let Err(error) = self.reply(token, payload, headers) {
            self.report(now, &error);
        }
    }

    /// Makes sure that a variable's message subject is known.
    pub(super) fn prepare_topic(&mut self, var: VarId) -> Result<()> {
        if self.vars.get(var).topic.is_none() {
            let name = self.vars.name(var);
            name::check_topic(name)?;
            let topic = self.names.message(name).into_boxed_str();
            self.vars.get_mut(var).topic = Some(topic);
        }
        Ok(())
    }

    /// Refuses a message that is larger than the hub, the server or the outbound budget allows.
    pub(super) fn check_size(
        &self,
        payload: &[u8],
        headers: Option<&Headers>,
        extra: usize,
    ) -> Result<()> {
        self.check_payload(payload)?;
        let most = &self.options.messaging;
        if let Some(headers) = headers {
            headers.check(&self.incoming.headers)?;
        }
        let headers = headers.map_or(0, Headers::encoded_len);
        let Some(link) = &self.link else { return Err(disconnected()) };
        let size = headers + payload.len();
        let server = link.info.max_payload;
        if server > 0 && size as u64 > server {
            return Err(Error::over(
                Code::MessageTooLarge,
                format!(
                    "headers and payload have {size} bytes; the server takes {server}: send less, or raise its max_payload"
                ),
                server,
                size as u64,
            ));
        }
        let waiting = link.outbound() + size + extra;
        if waiting > most.outbound_bytes {
            return Err(Error::over(
                Code::BufferOverflow,
                format!(
                    "{} bytes wait to be sent and this message would pass the {} allowed; nothing was sent: slow down (await flush()), or raise the option outbound_bytes",
                    link.outbound(),
                    most.outbound_bytes
                ),
                most.outbound_bytes as u64,
                waiting as u64,
            ));
        }
        Ok(())
    }

    pub(super) fn count_sent(&mut self, bytes: usize) {
        self.traffic.sent_messages += 1;
        self.traffic.sent_bytes += bytes as u64;
    }
}
