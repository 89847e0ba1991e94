//! What the calls of the table are made with.
use posthouse::{
    Change, CollectError, Error, Headers, Hub, Listener, ManyResult, Message, Reply, Result,
    Subscription, SubscriptionAs, Value, Variable, Watch, WatchGuard,
};
use serde::{Deserialize, Serialize};
use std::{future::Ready, time::Duration};

/// A type of the program's.
#[derive(Deserialize, Serialize)]
pub struct Lamp {
    /// Whether it is on.
    pub on: bool,
}

/// One of everything.
#[expect(missing_docs, reason = "the names say it")]
pub struct Given<'a> {
    pub hub: &'a Hub,
    pub variable: &'a Variable,
    pub subscription: &'a mut Subscription,
    pub listener: &'a Listener,
    pub owned_subscription: Subscription,
    pub owned_listener: Listener,
    pub message: &'a Message,
    pub guard: &'a WatchGuard,
    pub watch: &'a mut Watch,
    pub change: &'a Change,
    pub headers: &'a Headers,
    pub made_headers: &'a mut Headers,
    pub error: &'a Error,
    pub collect_error: &'a CollectError,
    pub reply: &'a Reply,
    pub many: &'a ManyResult,
    pub data: &'a Value,
    pub value: &'a Value,
    pub fallback: Value,
    pub lamp: Lamp,
    pub timeout: Duration,
    pub namespace: &'a str,
    pub name: &'a str,
    pub text: &'a str,
    pub signal: Ready<()>,
    pub callback: fn(Change),
    pub handler: fn(Message) -> Ready<()>,
    pub answering: fn(Message) -> Ready<Result<Value>>,
    pub on_error: fn(&Error),
    pub typed: &'a mut SubscriptionAs<Lamp>,
    pub owned_typed: SubscriptionAs<Lamp>,
}
