//! A program with a hub: it takes what it is told of, handles it, and remembers what it was shown.
use crate::cast::MessageId;
use posthouse_core::{
    Counter, VarId, WatchId,
    hub::{Hub, Meta, Op, SubId, Token, View},
};
use std::collections::{BTreeMap, VecDeque};

/// What a program knows of one of its subscriptions.
#[derive(Debug)]
pub(crate) struct HostSub {
    pub name: &'static str,
    pub queue: bool,
    pub handler: bool,
    /// The server has confirmed it and it has not been ended by the program.
    pub open: bool,
    /// The host was told and has not found the queue empty since.
    pub pumping: bool,
    pub taken: VecDeque<(Token, Option<String>, MessageId)>,
    /// How long its handler takes, in microseconds.
    pub delay: u64,
}

/// What a program knows of one of its watches.
#[derive(Debug)]
pub(crate) struct HostWatch {
    pub var: VarId,
    /// It was told and has not looked yet.
    pub told: bool,
    pub seen: Option<View>,
}

/// What an operation of a program was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Subscribe(SubId),
    Request(MessageId),
    Collect(MessageId),
    DrainSubscription(SubId),
    Drain,
    /// With nothing going wrong any more.
    LastDrain,
    Other,
}

pub(crate) struct Host {
    pub hub: Hub,
    pub vars: Vec<VarId>,
    pub topics: BTreeMap<&'static str, VarId>,
    pub subs: BTreeMap<SubId, HostSub>,
    pub watches: BTreeMap<WatchId, HostWatch>,
    /// Operations that have not ended.
    pub running: BTreeMap<Op, Call>,
    /// Versions as last seen: they only rise.
    pub versions: Vec<Option<(Counter, Box<str>)>>,
    /// Counts everything that may lose a message of this hub.
    pub troubles: u64,
    /// The program has drained or closed it.
    pub leaving: bool,
}

impl Host {
    /// What a watcher of this variable would be shown.
    pub fn view(&self, var: VarId) -> View {
        let meta: Meta = self.hub.meta(var);
        View { value: self.hub.get(var).map(Box::from), meta }
    }
}
