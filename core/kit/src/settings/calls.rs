//! The options of operations.
use super::{
    Dialect, Given, Set,
    read::{Read, read},
};
use crate::Hub;
use posthouse_core::{
    Result,
    hub::{Collect, SubscribeOptions},
    options::{DrainOptions, Group, RequestManyOptions, RequestOptions},
};

/// Options of a subscription or handler.
#[derive(Clone, Debug)]
pub struct SubscriptionSettings {
    dialect: Dialect,
    options: SubscribeOptions,
    /// The handler gets the context, too.
    pub with_context: bool,
}

impl SubscriptionSettings {
    /// The defaults.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, options: SubscribeOptions::default(), with_context: false }
    }

    /// Sets one option.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`: it is unknown, of the wrong kind, or out of range.
    pub fn set(&mut self, name: &str, given: Given<'_>) -> Result<Set> {
        let (spec, read) = read(self.dialect, Group::Subscription, name, given)?;
        match read {
            Read::Number(number) => {
                self.options.numbers.put(spec.name, number);
            }
            Read::Text(queue) => self.options.queue = Some(queue),
            Read::Flag(flag) => self.with_context = flag,
            Read::Absent => {}
            _ => return Ok(Set::Host),
        }
        Ok(Set::Done)
    }

    /// What the hub takes; `requests_only` makes it a handler of requests.
    pub fn options(self, requests_only: bool) -> SubscribeOptions {
        SubscribeOptions { requests_only, ..self.options }
    }
}

/// Options of a request for one answer.
#[derive(Clone, Copy, Debug)]
pub struct RequestSettings {
    dialect: Dialect,
    /// How long it may take.
    pub timeout_ms: u64,
    /// The answer is given with its headers.
    pub details: bool,
}

impl RequestSettings {
    /// The defaults; the time-out is the hub's.
    pub fn new(dialect: Dialect, hub: &Hub) -> Self {
        Self { dialect, timeout_ms: hub.timeout_ms(), details: false }
    }

    /// Sets one option.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`: it is unknown, of the wrong kind, or out of range.
    pub fn set(&mut self, name: &str, given: Given<'_>) -> Result<Set> {
        let (spec, read) = read(self.dialect, Group::Request, name, given)?;
        match read {
            Read::Number(number) => {
                let mut numbers = RequestOptions { timeout_ms: self.timeout_ms };
                numbers.put(spec.name, number);
                self.timeout_ms = numbers.timeout_ms;
            }
            Read::Flag(flag) => self.details = flag,
            Read::Absent => {}
            _ => return Ok(Set::Host),
        }
        Ok(Set::Done)
    }
}

/// Options of a request for several answers.
#[derive(Clone, Copy, Debug)]
pub struct ManySettings {
    dialect: Dialect,
    numbers: RequestManyOptions,
    /// The answers are given with their headers and the reason of the end.
    pub details: bool,
}

impl ManySettings {
    /// The defaults.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, numbers: RequestManyOptions::default(), details: false }
    }

    /// Sets one option.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`: it is unknown, of the wrong kind, or out of range.
    pub fn set(&mut self, name: &str, given: Given<'_>) -> Result<Set> {
        let (spec, read) = read(self.dialect, Group::RequestMany, name, given)?;
        match read {
            Read::Number(number) => {
                self.numbers.put(spec.name, number);
            }
            Read::Flag(flag) => self.details = flag,
            Read::Absent => {}
            _ => return Ok(Set::Host),
        }
        Ok(Set::Done)
    }

    /// The window.
    pub fn timeout_ms(&self) -> u64 {
        self.numbers.timeout_ms
    }

    /// How many answers are taken.
    pub fn collect(&self) -> Collect {
        Collect { max_replies: self.numbers.max_replies, max_bytes: self.numbers.max_bytes }
    }
}

/// Options of a drain.
#[derive(Clone, Copy, Debug)]
pub struct DrainSettings {
    dialect: Dialect,
    numbers: DrainOptions,
}

impl DrainSettings {
    /// The defaults.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, numbers: DrainOptions::default() }
    }

    /// Sets one option.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`: it is unknown, of the wrong kind, or out of range.
    pub fn set(&mut self, name: &str, given: Given<'_>) -> Result<Set> {
        let (spec, read) = read(self.dialect, Group::Drain, name, given)?;
        if let Read::Number(number) = read {
            self.numbers.put(spec.name, number);
        }
        Ok(Set::Done)
    }

    /// How long it may take.
    pub fn timeout_ms(&self) -> u64 {
        self.numbers.timeout_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_operations() {
        let mut sub = SubscriptionSettings::new(Dialect::PYTHON);
        for (name, given) in [
            ("queue", Given::Text("q")),
            ("pending_messages", Given::Integer(7)),
            ("pending_bytes", Given::Integer(700)),
            ("timeout", Given::Float(0.5)),
            ("with_context", Given::Flag(true)),
        ] {
            assert_eq!(sub.set(name, given), Ok(Set::Done), "{name}");
        }
        assert!(sub.with_context);
        let options = sub.options(true);
        assert_eq!((options.queue.as_deref(), options.requests_only), (Some("q"), true));
        let numbers = options.numbers;
        assert_eq!(
            (numbers.pending_messages, numbers.pending_bytes, numbers.timeout_ms),
            (7, 700, 500)
        );

        let mut many = ManySettings::new(Dialect::JAVASCRIPT);
        for (name, given, becomes) in [
            ("timeout", Given::Float(250.0), Set::Done),
            ("maxReplies", Given::Float(3.0), Set::Done),
            ("maxBytes", Given::Float(99.0), Set::Done),
            ("details", Given::Flag(true), Set::Done),
            ("headers", Given::Object, Set::Host),
            ("signal", Given::Object, Set::Host),
        ] {
            assert_eq!(many.set(name, given), Ok(becomes), "{name}");
        }
        assert_eq!((many.timeout_ms(), many.details), (250, true));
        assert_eq!(many.collect(), Collect { max_replies: 3, max_bytes: 99 });

        let mut drain = DrainSettings::new(Dialect::PYTHON);
        assert_eq!(drain.timeout_ms(), 5_000);
        assert_eq!(drain.set("timeout", Given::Float(0.25)), Ok(Set::Done));
        assert_eq!(drain.set("timeout", Given::Absent), Ok(Set::Done));
        assert_eq!(drain.timeout_ms(), 250);
        assert!(drain.set("timeout", Given::Integer(0)).is_err());
    }
}
