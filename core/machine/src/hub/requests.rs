//! Requests for one answer and collections of several.
use super::{EndReason, Failure, Hub, Op, Outcome, Reply, operations::Kind};
use crate::{
    Code, Error, Result, frame,
    headers::{Headers, Status},
    link::{Inbox, LinkId, Route},
    time::Now,
    vars::VarId,
};
use alloc::{format, string::String, vec::Vec};

/// How many answers a collection takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collect {
    /// It ends with this many.
    pub max_replies: usize,
    /// It fails beyond this many bytes.
    pub max_bytes: usize,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub var: VarId,
    pub link: LinkId,
    pub collect: Option<Collect>,
    pub replies: Vec<Reply>,
    pub bytes: usize,
    /// How many PINGs were written to the connection before it. Once a later one is answered the
    /// server has taken the request.
    pings: u64,
}

impl Request {
    /// Ends it with an error, giving the answers so far along.
    pub fn fail(&self, error: Error) -> Failure {
        Failure { error, partial: self.replies.clone() }
    }

    pub fn deadline_passed(&self, waited_ms: u64) -> Result<Outcome, Failure> {
        if self.collect.is_some() {
            return Ok(Outcome::Replies(self.replies.clone(), EndReason::Deadline));
        }
        Err(Error::new(
            Code::Timeout,
            format!("no answer came within {waited_ms} ms; the request may be carried out all the same: repeat it only if that is safe"),
        )
        .into())
    }
}

impl Hub {
    /// Sends a request; without `collect` the first answer ends it.
    ///
    /// # Errors
    /// As [`Hub::publish`], and `INVALID_OPTIONS`; by the event also `NO_RESPONDERS`, `TIMEOUT`,
    /// `INVALID_MESSAGE`, `PERMISSION_DENIED`, `DISCONNECTED`, `BUFFER_OVERFLOW`, `CANCELLED`.
    pub fn request(
        &mut self,
        now: Now,
        var: VarId,
        payload: &[u8],
        headers: Option<&Headers>,
        timeout_ms: u64,
        collect: Option<Collect>,
    ) -> Result<Op> {
        self.check_open()?;
        self.prepare_topic(var)?;
        crate::options::RequestOptions { timeout_ms }.check()?;
        if let Some(collect) = &collect {
            self.check_collect(collect)?;
        }
        self.check_active()?;
        let limit = self.options.messaging.requests;
        if self.requests >= limit {
            return Err(Error::over(
                Code::BufferOverflow,
                format!(
                    "{limit} requests wait for answers, the most allowed; nothing was sent: wait for some to end, or raise the option requests"
                ),
                limit as u64,
                self.requests as u64 + 1,
            ));
        }
        self.check_size(payload, headers, 64)?;
        self.open_inbox();
        let Some((link, pings)) = self.link.as_ref().map(|l| (l.id, l.pings)) else {
            return Err(super::disconnected());
        };
        let request = Request { var, link, collect, replies: Vec::new(), bytes: 0, pings };
        let op = self.timed(now, Kind::Request(alloc::boxed::Box::new(request)), Some(timeout_ms));
        self.requests += 1;
        if let (Some(link), Some(topic)) = (&mut self.link, &self.vars.get(var).topic)
            && let Some(inbox) = &link.inbox
        {
            let mut reply = String::with_capacity(inbox.prefix.len() + 12);
            reply.push_str(&inbox.prefix);
            reply.push_str(itoa::Buffer::new().format(op.0));
            frame::publish(&mut link.out, topic, Some(&reply), headers, payload);
        }
        self.count_sent(payload.len());
        Ok(op)
    }

    /// Whether at most one request waits for its answer and at most one message is being handled:
    /// then nothing is gained by gathering what is sent.
    pub fn is_quiet(&self) -> bool {
        self.requests + self.pending.messages <= 1
    }

    fn check_collect(&self, collect: &Collect) -> Result<()> {
        let most = &self.options.messaging;
        let range = |option: &str, given: usize, max: usize| {
            if (1..=max).contains(&given) {
                return Ok(());
            }
            let text = format!("{option} is {given}; allowed is 1 to {max}, the hub's own limit");
            Err(Error::over(Code::InvalidOptions, text, max as u64, given as u64))
        };
        range("max_replies", collect.max_replies, most.replies)?;
        range("max_bytes", collect.max_bytes, most.reply_bytes)
    }

    /// One wildcard inbox carries all answers of a connection; it is set up by the first request.
    fn open_inbox(&mut self) {
        if self.link.as_ref().is_none_or(|l| l.inbox.is_some()) {
            return;
        }
        let sid = self.id();
        let prefix = format!("_INBOX.{}.", self.rng.id());
        if let Some(link) = &mut self.link {
            link.subscribe(sid, &format!("{prefix}*"), None, Route::Replies);
            link.inbox = Some(Inbox { prefix, sid });
        }
    }

    /// The server refused the inbox: no request of this connection can be answered.
    pub(super) fn inbox_refused(&mut self) {
        if let Some(link) = &mut self.link
            && let Some(inbox) = link.inbox.take()
        {
            link.routes.remove(&inbox.sid);
        }
        let error = Error::new(
            Code::PermissionDenied,
            "the server refuses the inbox for answers: grant a subscription to _INBOX.>",
        );
        self.fail_requests(&error, |_| true);
    }

    /// The server refused a publication to this subject. It says so once for each, in order: fails
    /// the oldest request that it can have been, if there is one.
    pub(super) fn request_refused(&mut self, subject: &str, error: &Error) -> bool {
        let pongs = self.link.as_ref().map_or(0, |l| l.pongs);
        let asked = self.operations_where(|kind| match kind {
            Kind::Request(r) => {
                r.pings >= pongs && self.vars.get(r.var).topic.as_deref() == Some(subject)
            }
            _ => false,
        });
        let Some(&op) = asked.first() else { return false };
        if let Some(Kind::Request(request)) = self.operations.get(&op).map(|o| &o.kind) {
            let failure = request.fail(error.clone());
            self.finish(op, Err(failure));
        }
        true
    }

    /// Fails the requests that `which` picks.
    pub(super) fn fail_requests(&mut self, error: &Error, which: impl Fn(&Request) -> bool) {
        let failed = self.operations_where(|kind| match kind {
            Kind::Request(request) => which(request),
            _ => false,
        });
        for op in failed {
            if let Some(Kind::Request(request)) = self.operations.get(&op).map(|o| &o.kind) {
                let failure = request.fail(error.clone());
                self.finish(op, Err(failure));
            }
        }
    }

    /// The request that an answer's subject belongs to, if it still waits.
    fn answered(&self, link: LinkId, subject: &[u8]) -> Option<Op> {
        let inbox = self.link.as_ref().filter(|l| l.id == link)?.inbox.as_ref()?;
        let number = subject.strip_prefix(inbox.prefix.as_bytes())?;
        let op = Op(core::str::from_utf8(number).ok()?.parse().ok()?);
        match &self.operations.get(&op)?.kind {
            Kind::Request(request) if request.link == link => Some(op),
            _ => None,
        }
    }

    /// An answer has arrived. One that nobody waits for any more changes nothing.
    pub(super) fn answer_arrived(
        &mut self,
        now: Now,
        link: LinkId,
        subject: &[u8],
        headers: &[u8],
        payload: &[u8],
    ) {
        let Some(op) = self.answered(link, subject) else { return };
        let result = self.take_answer(op, headers, payload);
        if let Some(result) = result {
            self.finish(op, result);
            self.advance_drain(now);
        }
    }

    /// An answer larger than any allowed has arrived.
    pub(super) fn oversize_answer(&mut self, now: Now, link: LinkId, subject: &[u8], size: usize) {
        let Some(op) = self.answered(link, subject) else { return };
        if let Some(Kind::Request(request)) = self.operations.get(&op).map(|o| &o.kind) {
            let failure = request.fail(super::frames::oversize(size, &self.options.messaging));
            self.finish(op, Err(failure));
            self.advance_drain(now);
        }
    }

    /// Adds an answer to its request; gives the result if that ends it.
    fn take_answer(
        &mut self,
        op: Op,
        headers: &[u8],
        payload: &[u8],
    ) -> Option<Result<Outcome, Failure>> {
        let Some(Kind::Request(request)) = self.operations.get_mut(&op).map(|o| &mut o.kind) else {
            return None;
        };
        // The status is looked at before the body: an empty body is no JSON.
        if payload.is_empty()
            && Headers::status(headers).is_some_and(|s| s.code == Status::NO_RESPONDERS)
        {
            return Some(Err(request.fail(Error::new(
                Code::NoResponders,
                "nobody handles this name now: start a handler, or try later",
            ))));
        }
        let headers = match super::messages::check_incoming(headers, payload, &self.incoming) {
            Ok((_, headers, _)) => headers,
            Err(error) => return Some(Err(request.fail(error))),
        };
        let reply = Reply { payload: payload.into(), headers };
        let Some(collect) = request.collect else { return Some(Ok(Outcome::Reply(reply))) };
        let size = payload.len();
        let most = &self.options.messaging;
        if self.pending.messages >= most.pending_messages
            || self.pending.bytes + size > most.pending_bytes
        {
            return Some(Err(request.fail(Error::new(
                Code::BufferOverflow,
                "the hub holds as many received messages as it may, this answer would be one too many; those until then are in the error: raise pending_messages and pending_bytes",
            ))));
        }
        if request.bytes + size > collect.max_bytes {
            return Some(Err(request.fail(Error::over(
                Code::BufferOverflow,
                format!("the answers have more than the {} bytes allowed; those until then are in the error: ask for less, or raise max_bytes", collect.max_bytes),
                collect.max_bytes as u64,
                (request.bytes + size) as u64,
            ))));
        }
        request.replies.push(reply);
        request.bytes += size;
        self.pending.add(size);
        if request.replies.len() < collect.max_replies {
            return None;
        }
        let replies = request.replies.clone();
        Some(Ok(Outcome::Replies(replies, EndReason::MaxReplies)))
    }
}
