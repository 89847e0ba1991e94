//! What a program does with its hub.
use super::World;
use crate::input::Input;
use posthouse_core::{
    Code, EndpointId, Error, Headers,
    hub::{Collect, Op, SubId, SubscribeOptions, Token},
    json,
    options::SubscriptionOptions,
};

const VALUES: [&[u8]; 10] = [
    b"null",
    b"1",
    b"\"text\"",
    b"{\"b\":1,\"a\":[true,2.5]}",
    b"[]",
    b"-0.0",
    b"\"a string that is long enough to fill a small budget, twice over\"",
    b"{",
    b"1e999",
    b"{\"a\":1,\"a\":2}",
];

/// A text that may be no JSON.
fn any_value<'a>(input: &mut Input<'a>) -> &'a [u8] {
    let choice = input.byte();
    if choice < 128 { VALUES[usize::from(choice) % VALUES.len()] } else { input.some() }
}

/// A payload as hosts give it: checked JSON.
fn payload<'a>(world: &World, input: &mut Input<'a>) -> &'a [u8] {
    let text = any_value(input);
    let free = world.hub.message_limits().with_bytes(usize::MAX);
    if json::validate(text, &free).is_ok() { text } else { b"null" }
}

fn headers(input: &mut Input<'_>) -> Option<Headers> {
    let mut headers = Headers::new();
    let choice = input.byte();
    for n in 0..choice % 4 {
        let name = ["Key", "key", "trace"][usize::from(choice >> 4 ^ n) % 3];
        headers.append(name, "some value").ok()?;
    }
    (!choice.is_multiple_of(4)).then_some(headers)
}

/// 1 ms and up.
fn time(input: &mut Input<'_>) -> u64 {
    input.pick(&[100, 1, 3_000, 20, 10_000])
}

impl World {
    fn sub(&self, input: &mut Input<'_>) -> Option<SubId> {
        let all: Vec<SubId> = self.model.subs.keys().copied().collect();
        (!all.is_empty()).then(|| input.pick(&all))
    }

    fn token(&self, input: &mut Input<'_>) -> Option<Token> {
        let all: Vec<&Token> = self.model.subs.values().flat_map(|sub| &sub.held).collect();
        (!all.is_empty()).then(|| input.pick(&all).clone())
    }

    /// Notes an operation that has begun; a refusal must be one that the caller can be told of.
    fn begun(&mut self, begun: Result<Op, Error>, by: Option<u64>) {
        match begun {
            Ok(op) => self.model.begun(op, by),
            Err(error) => assert!(error.code() != Code::Internal, "{error}"),
        }
    }

    pub(super) fn program_does(&mut self, what: u8, input: &mut Input<'_>) {
        let now = self.now;
        let var = |world: &Self, input: &mut Input<'_>| {
            (!world.vars.is_empty()).then(|| input.pick(&world.vars))
        };
        match what {
            b's' => {
                let Some(var) = var(self, input) else { return };
                let value = any_value(input);
                if self.hub.set(now, var, value).is_ok() {
                    let meta = self.hub.meta(var);
                    assert!(meta.pending && meta.initialized && meta.exists == Some(true));
                }
            }
            b'd' => {
                let Some(var) = var(self, input) else { return };
                if self.hub.delete(now, var).is_ok() {
                    assert!(
                        self.hub.get(var).is_none() && self.hub.meta(var).exists == Some(false)
                    );
                }
            }
            b'p' => {
                let Some(var) = var(self, input) else { return };
                let (body, headers) = (payload(self, input), headers(input));
                let _ = self.hub.publish(var, body, headers.as_ref());
            }
            b'r' | b'q' => {
                let Some(var) = var(self, input) else { return };
                let (body, headers, ms) = (payload(self, input), headers(input), time(input));
                let collect = (what == b'q').then(|| Collect {
                    max_replies: input.below(4),
                    max_bytes: usize::from(input.byte()),
                });
                let begun = self.hub.request(now, var, body, headers.as_ref(), ms, collect);
                self.begun(begun, Some(now.after_ms(ms)));
            }
            b'u' => {
                let Some(var) = var(self, input) else { return };
                let choice = input.byte();
                let numbers = SubscriptionOptions {
                    pending_messages: 1 + usize::from(choice >> 4),
                    timeout_ms: time(input),
                    ..SubscriptionOptions::default()
                };
                let queue = [None, Some("group"), Some("a.b"), Some("*")][usize::from(choice) % 4];
                let options = SubscribeOptions {
                    queue: queue.map(Into::into),
                    requests_only: choice & 4 == 4,
                    numbers,
                };
                if let Ok((id, op)) = self.hub.subscribe(now, var, &options) {
                    assert!(self.model.subs.insert(id, super::model::Sub::default()).is_none());
                    self.model.begun(op, Some(now.after_ms(numbers.timeout_ms)));
                }
            }
            b'x' => {
                let Some(id) = self.sub(input) else { return };
                self.hub.unsubscribe(now, id);
            }
            b'k' => {
                let Some(id) = self.sub(input) else { return };
                self.hub.release(now, id);
                if let Some(sub) = self.model.subs.get_mut(&id) {
                    sub.released = true;
                    sub.held.clear();
                }
            }
            b'n' => {
                let Some(id) = self.sub(input) else { return };
                let ms = time(input);
                let begun = self.hub.drain_subscription(now, id, ms);
                let sub = self.model.subs.entry(id).or_default();
                // A second call joins the first.
                let by = *sub.drained_by.get_or_insert(now.after_ms(ms));
                self.begun(begun, Some(by));
            }
            b'h' => {
                let ms = time(input);
                let begun = self.hub.drain(now, ms);
                let by = *self.model.drained_by.get_or_insert(now.after_ms(ms));
                self.begun(begun, Some(by));
            }
            b'z' if input.byte() == b'!' => self.hub.close(now),
            b'f' => {
                let ms = time(input);
                let begun = self.hub.flush(now, ms);
                self.begun(begun, Some(now.after_ms(ms)));
            }
            b'c' => {
                let ms = (input.byte() & 1 == 0).then(|| time(input));
                let begun = self.hub.connected(now, ms);
                self.begun(begun, ms.map(|ms| now.after_ms(ms)));
            }
            b'y' => {
                let var = if input.byte() & 1 == 0 { var(self, input) } else { None };
                let ms = (input.byte() & 1 == 0).then(|| time(input));
                let begun = self.hub.ready(now, var, ms);
                self.begun(begun, ms.map(|ms| now.after_ms(ms)));
            }
            b'l' => {
                let all: Vec<Op> = self.model.ops.keys().copied().collect();
                if !all.is_empty() {
                    let op = input.pick(&all);
                    self.hub.cancel(now, op);
                    self.hub.cancel(now, op);
                    self.settle();
                    assert!(!self.model.ops.contains_key(&op), "a cancelled operation goes on");
                }
            }
            b'w' => {
                let Some(var) = var(self, input) else { return };
                if let Ok(id) = self.hub.watch(var) {
                    assert!(self.model.watches.insert(id, (var, None)).is_none());
                }
            }
            b'v' => {
                let all: Vec<_> = self.model.watches.keys().copied().collect();
                if !all.is_empty() {
                    let id = input.pick(&all);
                    self.model.watches.remove(&id);
                    self.hub.unwatch(id);
                    assert!(self.hub.take_watch(id).is_none());
                }
            }
            b't' => {
                let Some(id) = self.sub(input) else { return };
                let (most, mut taken) = (input.below(4), Vec::new());
                self.hub.take(id, most, &mut taken);
                self.model.took(id, most, taken);
            }
            b'g' => {
                let Some(id) = self.sub(input) else { return };
                let count = input.below(4);
                self.hub.finished(now, id, count);
                if let Some(sub) = self.model.subs.get_mut(&id) {
                    sub.held.drain(..count.min(sub.held.len()));
                }
            }
            b'o' => {
                let Some(token) = self.token(input) else { return };
                self.hub.finished_one(now, &token);
                self.hub.finished_one(now, &token);
                for sub in self.model.subs.values_mut() {
                    sub.held.retain(|held| *held != token);
                }
                let late = self.hub.reply(&token, b"null", None).expect_err("it has ended");
                assert_eq!(late.code(), Code::Closed);
            }
            b'a' => {
                let Some(token) = self.token(input) else { return };
                let (body, headers) = (payload(self, input), headers(input));
                if input.byte() & 1 == 0 {
                    self.hub.answer(now, &token, body, headers.as_ref());
                } else if let Err(error) = self.hub.reply(&token, body, headers.as_ref()) {
                    assert!(
                        token.has_reply() == (error.code() != Code::NoReplySubject)
                            || self.hub.is_closed()
                    );
                }
            }
            b'b' => {
                let endpoint = EndpointId(u32::from(input.byte() % 4));
                let rtt = input.byte();
                self.hub.handle_probe(now, endpoint, (rtt > 0).then(|| u64::from(rtt) * 1_000));
            }
            b'e' => self.hub.handler_failed(now, "a handler", &input.text()),
            b'j' => {
                if let Ok(var) = self.hub.var(&input.text()) {
                    self.vars.push(var);
                }
            }
            _ => {}
        }
    }
}
