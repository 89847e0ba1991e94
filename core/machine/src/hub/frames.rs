//! What each frame from a server does.
use super::{Hub, problems::Cause};
use crate::{
    Code, Error,
    frame::{Decoder, Frame, Info, Refusal, ServerError},
    limits,
    link::{Awaited, Link, LinkId, Route, Stage},
    options::MessagingLimits,
    subs::SubState,
    time::Now,
};
use alloc::{format, string::String};

impl Hub {
    /// Bytes have arrived on a connection. Any split of them gives the same result.
    pub fn handle_bytes(&mut self, now: Now, id: LinkId, bytes: &[u8]) {
        // Nothing is no sign of life.
        let Some(link) = self.link_mut(id).filter(|_| !bytes.is_empty()) else { return };
        link.last_received = now.mono;
        let mut decoder = core::mem::replace(&mut link.decoder, Decoder::new(0));
        let fed = decoder.feed(bytes, |frame| {
            self.frame(now, id, frame);
            self.link_mut(id).is_some()
        });
        if let Some(link) = self.link_mut(id) {
            link.decoder = decoder;
        }
        if let Err(error) = fed {
            let error = Error::new(
                Code::InvalidServer,
                format!("the server broke the protocol: {}; is it a NATS server?", error.0),
            );
            self.give_up(now, id, &error);
        }
        self.advance_drain(now);
    }

    /// Gives a connection up, the current one or the next.
    fn give_up(&mut self, now: Now, id: LinkId, error: &Error) {
        if !self.switch_link_lost(now, id, error) && self.is_current(id) {
            self.drop_link(now, error);
        }
    }

    fn frame(&mut self, now: Now, id: LinkId, frame: Frame<'_>) {
        match frame {
            Frame::Message { sid, subject, reply, headers, payload } => {
                self.message(now, id, sid, subject, reply, headers, payload);
            }
            Frame::Oversize { sid, subject, size, .. } => {
                self.oversize(now, id, sid, subject, size);
            }
            Frame::Ping => {
                if let Some(link) = self.link_mut(id) {
                    crate::frame::pong(&mut link.out);
                }
            }
            Frame::Pong => self.pong(now, id),
            Frame::Info(json) => self.info(now, id, json),
            Frame::Err(text) => self.server_error(now, id, &String::from_utf8_lossy(text)),
            Frame::Ok => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn message(
        &mut self,
        now: Now,
        id: LinkId,
        sid: u64,
        subject: &[u8],
        reply: Option<&[u8]>,
        headers: &[u8],
        payload: &[u8],
    ) {
        let Some(link) = self.link.as_mut().filter(|l| l.id == id) else { return };
        let Some(&route) = link.routes.get(&sid) else { return };
        self.traffic.received_messages += 1;
        self.traffic.received_bytes += payload.len() as u64;
        match route {
            Route::Subscription(sub) => {
                self.accept(now, id, sub, subject, reply, headers, payload);
            }
            Route::Replies => self.answer_arrived(now, id, subject, headers, payload),
            Route::State => self.state_frame(now, subject, payload),
            Route::SyncInbox => self.record_arrived(now, None, payload),
            Route::Sync => self.peer_asked(now, reply, payload),
            Route::Health => self.health_arrived(now, subject, payload),
        }
    }

    fn oversize(&mut self, now: Now, id: LinkId, sid: u64, subject: &[u8], size: usize) {
        let Some(link) = self.link.as_ref().filter(|l| l.id == id) else { return };
        let error = oversize(size, &self.options.messaging);
        match link.routes.get(&sid) {
            Some(&Route::Subscription(sub)) => self.refuse_message(now, Some(sub), &error),
            Some(Route::Replies) => self.oversize_answer(now, id, subject, size),
            Some(_) => self.report(now, &error),
            None => {}
        }
    }

    fn pong(&mut self, now: Now, id: LinkId) {
        let Some((awaited, sent)) = self.link_mut(id).and_then(Link::ponged) else { return };
        let rtt = now.mono.saturating_sub(sent);
        if let (Awaited::Alive | Awaited::Greeting, Some(link)) = (&awaited, self.link_mut(id)) {
            link.rtt_us = Some(rtt);
        }
        match awaited {
            Awaited::Greeting if self.is_current(id) => self.greeted(now),
            Awaited::Greeting => self.switch_greeted(now, id),
            Awaited::Joined => self.joined(now),
            Awaited::Published(records) => self.activate(now, records),
            Awaited::Alive => {}
            Awaited::Records(up_to) => {
                if let Some(link) = &mut self.link {
                    link.confirming = false;
                }
                self.records_confirmed(now, up_to);
            }
            Awaited::Flush(op) => self.flushed(op),
            Awaited::Registered(sub) => self.registered(sub),
            Awaited::Retired(sub) => self.retired(now, sub),
            Awaited::HandedOff(next) => self.handed_off(now, next),
            Awaited::Restored => self.restored(now),
            Awaited::DrainRetired => self.drain_retired(now),
            Awaited::DrainFlushed => self.drain_flushed(now),
        }
    }

    fn flushed(&mut self, op: super::Op) {
        if !self.operations.contains_key(&op) {
            return;
        }
        let refused = self.link.as_mut().and_then(|l| l.refused.take());
        let result = match refused {
            None => Ok(super::Outcome::Unit),
            Some(name) => {
                self.resolved(&Cause::Publish);
                Err(Error::new(
                    Code::PermissionDenied,
                    format!("the server refused a publication to {name} since the last flush: grant this user its subject"),
                )
                .into())
            }
        };
        self.finish(op, result);
    }

    fn info(&mut self, now: Now, id: LinkId, json: &[u8]) {
        let Some(info) = Info::parse(json) else {
            let text = "the server sent an INFO that is no JSON object";
            return self.give_up(now, id, &Error::new(Code::InvalidServer, text));
        };
        let Some(link) = self.link_mut(id) else { return };
        let grown = info.max_payload > link.info.max_payload;
        link.info = info;
        if self.is_current(id) {
            self.learn(now);
            if grown {
                self.write_withheld(now);
            }
        }
    }

    fn server_error(&mut self, now: Now, id: LinkId, text: &str) {
        match ServerError::parse(text) {
            ServerError::Refused(Refusal::Publish(subject)) => {
                if self.is_current(id) {
                    self.publish_refused(now, subject);
                }
            }
            ServerError::Refused(Refusal::Subscribe { subject, queue, sid }) => {
                if self.is_current(id) {
                    self.subscription_refused(now, subject, queue, sid);
                }
            }
            ServerError::Auth => {
                let error = Error::new(
                    Code::AuthFailed,
                    format!(
                        "the server refused the credentials ({}): check token, user, password, nkey or credentials",
                        shown(text)
                    ),
                );
                self.give_up(now, id, &error);
            }
            other => {
                let code = match other {
                    ServerError::SlowConsumer => Code::SlowConsumer,
                    ServerError::MaxPayload => Code::MessageTooLarge,
                    ServerError::Permission => Code::PermissionDenied,
                    _ => Code::Disconnected,
                };
                let error = Error::new(code, format!("the server said: {}", shown(text)));
                if self.link_mut(id).is_some_and(|l| l.stage == Stage::Greeting) {
                    self.give_up(now, id, &error);
                } else {
                    self.report(now, &error);
                }
            }
        }
    }

    /// A publication was refused by permissions. Which one, the server tells by its subject only.
    fn publish_refused(&mut self, now: Now, subject: &str) {
        let name = self.readable(subject);
        let error = Error::new(
            Code::PermissionDenied,
            format!(
                "the server refuses this user to publish to {name}: grant the subject {}",
                shown(subject)
            ),
        );
        if let Some(var) = self.vars.by_subject(subject) {
            self.vars.get_mut(var).refused = true;
        }
        if self.names.is_system(subject) {
            // Ours, not the program's: no flush of the program fails for it.
            return self.report_lasting(now, Cause::Standing(subject.into()), &error);
        }
        if self.request_refused(subject, &error) {
            return;
        }
        if let Some(link) = &mut self.link {
            link.refused = Some(name);
        }
        self.report_lasting(now, Cause::Publish, &error);
    }

    fn subscription_refused(
        &mut self,
        now: Now,
        subject: &str,
        queue: Option<&str>,
        sid: Option<u64>,
    ) {
        let Some(link) = &self.link else { return };
        if link.inbox.as_ref().is_some_and(|inbox| subject.strip_suffix('*') == Some(&inbox.prefix))
        {
            return self.inbox_refused();
        }
        let name = self.readable(subject);
        let error = Error::new(
            Code::PermissionDenied,
            format!(
                "the server refuses this user to subscribe to {name}: grant the subject {}",
                shown(subject)
            ),
        );
        let candidates = self.subs.all.iter().filter(|(_, sub)| {
            sub.live()
                && sub.sid.is_some()
                && *sub.subject == *subject
                && if sid.is_some() { sid == sub.sid } else { queue == sub.queue.as_deref() }
        });
        // Without a number the server means one that it was just asked for; one of the same subject
        // that is registered stands. On a reload it gives the number.
        let mut ids: alloc::vec::Vec<_> = candidates.map(|(&id, sub)| (id, sub.state)).collect();
        ids.sort_unstable_by_key(|(id, _)| *id);
        let registering = ids.iter().any(|(_, s)| matches!(s, SubState::Registering(_)));
        for (id, state) in ids {
            if registering && !matches!(state, SubState::Registering(_)) {
                continue;
            }
            // The server holds no subscription of this number: nothing is to be taken back.
            if let Some(sub) = self.subs.all.get_mut(&id)
                && let Some(sid) = sub.sid.take()
                && let Some(link) = &mut self.link
            {
                link.routes.remove(&sid);
            }
            self.end_sub(now, id, Some(error.clone()));
        }
        if !registering {
            self.report_lasting(now, Cause::Standing(subject.into()), &error);
        }
    }

    /// A subject as a person knows it: the name of a message or variable of this namespace.
    fn readable(&self, subject: &str) -> String {
        if let Some(var) = self.vars.by_subject(subject) {
            return format!("the variable {:?}", self.vars.name(var));
        }
        if let Some(topic) = self.names.message_topic(subject) {
            return format!("{topic:?}");
        }
        format!("{:?}", shown(subject))
    }
}

/// A text from a server, shortened for people.
fn shown(text: &str) -> String {
    text.chars().take(limits::REPORT_TEXT_CHARS / 2).collect()
}

pub(super) fn oversize(size: usize, most: &MessagingLimits) -> Error {
    let allowed = most.payload_bytes + most.header_bytes;
    Error::over(
        Code::MessageTooLarge,
        format!(
            "a message of {size} bytes came; allowed are {allowed}: its publisher must send less, or raise the option payload_bytes"
        ),
        allowed as u64,
        size as u64,
    )
}
