//! Which subscriptions match a subject: one tree level per level of the subject, with the wildcard
//! branches beside the literal ones.

use hashbrown::HashMap;

use crate::subject::levels;

/// A subscription's index in the router's table.
pub(crate) type SubId = u32;

#[derive(Default)]
struct Level {
    literal: HashMap<Box<[u8]>, Branch>,
    star: Option<Box<Branch>>,
    rest: Vec<SubId>,
}

#[derive(Default)]
struct Branch {
    here: Vec<SubId>,
    below: Level,
}

impl Branch {
    fn is_empty(&self) -> bool {
        self.here.is_empty() && self.below.is_empty()
    }
}

impl Level {
    fn is_empty(&self) -> bool {
        self.literal.is_empty() && self.star.is_none() && self.rest.is_empty()
    }

    fn remove(&mut self, subject: &[u8], id: SubId) {
        let (head, tail) = split(subject);
        let take = |branch: &mut Branch| {
            match tail {
                Some(tail) => branch.below.remove(tail, id),
                None => branch.here.retain(|held| *held != id),
            }
            branch.is_empty()
        };
        match head {
            b">" => self.rest.retain(|held| *held != id),
            b"*" => {
                if self.star.as_deref_mut().is_some_and(take) {
                    self.star = None;
                }
            }
            _ => {
                if self.literal.get_mut(head).is_some_and(take) {
                    self.literal.remove(head);
                }
            }
        }
    }

    fn find(&self, subject: &[u8], found: &mut impl FnMut(SubId)) {
        self.rest.iter().copied().for_each(&mut *found);
        let (head, tail) = split(subject);
        for branch in self.literal.get(head).into_iter().chain(self.star.as_deref()) {
            match tail {
                Some(tail) => branch.below.find(tail, found),
                None => branch.here.iter().copied().for_each(&mut *found),
            }
        }
    }
}

fn split(subject: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'.', subject) {
        Some(dot) => (&subject[..dot], Some(&subject[dot + 1..])),
        None => (subject, None),
    }
}

/// All subscriptions by subject. Takes only subjects that [`crate::subject::is_pattern`] accepts.
#[derive(Default)]
pub(crate) struct Trie {
    root: Level,
}

impl Trie {
    pub fn insert(&mut self, subject: &[u8], id: SubId) {
        let mut level = &mut self.root;
        let mut parts = levels(subject).peekable();
        while let Some(part) = parts.next() {
            let branch = match part {
                b">" => return level.rest.push(id),
                b"*" => &mut **level.star.get_or_insert_default(),
                _ => level.literal.entry_ref(part).or_default(),
            };
            if parts.peek().is_none() {
                return branch.here.push(id);
            }
            level = &mut branch.below;
        }
    }

    /// Takes out what [`Self::insert`] put in under the same subject.
    pub fn remove(&mut self, subject: &[u8], id: SubId) {
        self.root.remove(subject, id);
    }

    /// Calls `found` once for every subscription that matches a subject without empty levels.
    pub fn find(&self, subject: &[u8], mut found: impl FnMut(SubId)) {
        self.root.find(subject, &mut found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(pattern: &str, subject: &str) -> bool {
        let mut subject = subject.split('.');
        for part in pattern.split('.') {
            match (part, subject.next()) {
                (">", Some(_)) => return true,
                ("*", Some(_)) => {}
                (p, Some(s)) if p == s => {}
                _ => return false,
            }
        }
        subject.next().is_none()
    }

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    fn random_subject(state: &mut u64, parts: &[&str]) -> String {
        let count = 1 + random(state) % 4;
        let picked: Vec<_> =
            (0..count).map(|_| parts[random(state) as usize % parts.len()]).collect();
        picked.join(".")
    }

    #[test]
    fn agrees_with_a_naive_matcher_while_subscriptions_come_and_go() {
        let mut state = 0x1234_5678_9abc_def1;
        let mut trie = Trie::default();
        let mut held: Vec<(SubId, String)> = Vec::new();
        for id in 0..4000 {
            if held.len() > 60 || (!held.is_empty() && random(&mut state).is_multiple_of(3)) {
                let (id, pattern) = held.swap_remove(random(&mut state) as usize % held.len());
                trie.remove(pattern.as_bytes(), id);
            } else {
                let mut pattern = random_subject(&mut state, &["a", "b", "cc", "*", "a*"]);
                if random(&mut state).is_multiple_of(4) {
                    pattern.push_str(".>");
                }
                trie.insert(pattern.as_bytes(), id);
                held.push((id, pattern));
            }
            let subject = random_subject(&mut state, &["a", "b", "cc", "d", "a*"]);
            let mut got = Vec::new();
            trie.find(subject.as_bytes(), |id| got.push(id));
            got.sort_unstable();
            let mut want: Vec<_> =
                held.iter().filter(|(_, p)| naive(p, &subject)).map(|(id, _)| *id).collect();
            want.sort_unstable();
            assert_eq!(got, want, "{subject}");
        }
        for (id, pattern) in held {
            trie.remove(pattern.as_bytes(), id);
        }
        assert!(trie.root.is_empty(), "empty branches must not stay behind");
    }
}
