//! Who gets a message, remembered per subject, so that the tree of subscriptions is walked once and
//! not for every message.
//!
//! A change of a subscription without wildcards forgets its own subject only, so that inboxes that
//! come and go cost nothing to others; a change of one with wildcards makes everything remembered
//! stale at once by raising `generation`.

use hashbrown::HashMap;

use crate::subject;
use crate::trie::{SubId, Trie};

/// How many subjects are remembered before the memory is cleared and begun anew.
const REMEMBERED: usize = 8192;

/// One receiver: a client and its subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub client: u32,
    pub sub: SubId,
}

/// Everyone who gets the messages of one subject.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    pub plain: Vec<Target>,
    /// One member of each gets a copy.
    pub groups: Vec<Vec<Target>>,
    /// Whether a pedantic client may publish to the subject.
    pub literal: bool,
    generation: u64,
}

/// A place in the cache, valid until [`Cache::epoch`] changes.
pub(crate) type RouteId = u32;

#[derive(Default)]
pub(crate) struct Cache {
    by_subject: HashMap<Box<[u8]>, RouteId>,
    routes: Vec<Routes>,
    unused: Vec<RouteId>,
    generation: u64,
    epoch: u64,
}

impl Cache {
    /// Rises with every change of what a [`RouteId`] stands for.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Notes that a subscription to the subject came or went.
    pub fn changed(&mut self, subject: &[u8]) {
        self.epoch += 1;
        if subject::has_wildcard(subject) {
            self.generation += 1;
        } else if let Some(id) = self.by_subject.remove(subject) {
            self.unused.push(id);
        }
    }

    /// The receivers at a place.
    #[inline]
    pub fn get(&self, id: RouteId) -> &Routes {
        &self.routes[id as usize]
    }

    /// The place of a subject, looked up in `trie` where it is not remembered. `describe` gives the
    /// client and the queue group of a subscription.
    pub fn find<'a>(
        &mut self,
        subject: &[u8],
        trie: &Trie,
        describe: impl Fn(SubId) -> (u32, Option<&'a [u8]>),
    ) -> RouteId {
        let known = self.by_subject.get(subject).copied();
        if let Some(id) = known.filter(|id| self.get(*id).generation == self.generation) {
            return id;
        }
        let id = known.unwrap_or_else(|| self.place(subject));
        let routes = &mut self.routes[id as usize];
        routes.plain.clear();
        routes.groups.clear();
        routes.generation = self.generation;
        let complete = subject::has_no_empty_level(subject);
        routes.literal = complete && !subject::has_wildcard(subject);
        if complete {
            let mut names: Vec<&[u8]> = Vec::new();
            trie.find(subject, |sub| {
                let (client, queue) = describe(sub);
                let target = Target { client, sub };
                let Some(queue) = queue else { return routes.plain.push(target) };
                if let Some(group) = names.iter().position(|name| *name == queue) {
                    routes.groups[group].push(target);
                } else {
                    names.push(queue);
                    routes.groups.push(vec![target]);
                }
            });
        }
        id
    }

    fn place(&mut self, subject: &[u8]) -> RouteId {
        if self.by_subject.len() >= REMEMBERED {
            self.epoch += 1;
            self.by_subject.clear();
            self.unused.clear();
            self.routes.clear();
        }
        let id = self.unused.pop().unwrap_or_else(|| {
            self.routes.push(Routes::default());
            self.routes.len() as RouteId - 1
        });
        self.by_subject.insert(subject.into(), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_what_a_change_touches() {
        let mut trie = Trie::default();
        let mut cache = Cache::default();
        let queue = |sub| (sub, (sub >= 10).then_some(&b"q"[..]));
        let plain = |cache: &mut Cache, trie: &Trie, subject: &[u8]| {
            let id = cache.find(subject, trie, queue);
            let routes = cache.get(id);
            (routes.plain.len(), routes.groups.iter().map(Vec::len).collect::<Vec<_>>())
        };
        let add = |cache: &mut Cache, trie: &mut Trie, subject: &[u8], id| {
            trie.insert(subject, id);
            cache.changed(subject);
        };
        assert_eq!(plain(&mut cache, &trie, b"a.b"), (0, vec![]));
        add(&mut cache, &mut trie, b"a.b", 1);
        assert_eq!(plain(&mut cache, &trie, b"a.b"), (1, vec![]));
        add(&mut cache, &mut trie, b"a.*", 2);
        assert_eq!(plain(&mut cache, &trie, b"a.b"), (2, vec![]));
        add(&mut cache, &mut trie, b"a.b", 10);
        add(&mut cache, &mut trie, b"a.>", 11);
        assert_eq!(plain(&mut cache, &trie, b"a.b"), (2, vec![2]), "one group across patterns");
        trie.remove(b"a.b", 1);
        cache.changed(b"a.b");
        assert_eq!(plain(&mut cache, &trie, b"a.b"), (1, vec![2]));
        assert_eq!(plain(&mut cache, &trie, b"a..b"), (0, vec![]));
    }

    #[test]
    fn stays_bounded() {
        let (trie, mut cache) = (Trie::default(), Cache::default());
        for i in 0..3 * REMEMBERED {
            cache.find(i.to_string().as_bytes(), &trie, |_| (0, None));
        }
        assert!(cache.routes.len() <= REMEMBERED);
    }
}
