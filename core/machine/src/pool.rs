//! Which server to dial, and when: the order of a round, back-off, lame ducks, better endpoints.
//!
//! Configured endpoints are never evicted; gossip adds others beside them and takes only those
//! away again. The driver does the dialling and tells how it went.
use crate::{Code, Error, options::Selection, rng::Rng};
use alloc::{string::String, vec::Vec};

/// Names an endpoint for the life of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointId(pub u32);

#[derive(Debug)]
struct Endpoint {
    id: EndpointId,
    /// As shown to people: without credentials.
    url: String,
    configured: bool,
    lame_duck: bool,
    /// How the last attempt ended, while it ended in a way that waiting does not mend.
    refusal: Option<Error>,
}

/// The known endpoints and the state of the search among them.
#[derive(Debug)]
pub(crate) struct Pool {
    endpoints: Vec<Endpoint>,
    next_id: u32,
    /// What is left to dial in this round, last first.
    round: Vec<EndpointId>,
    /// Whether an attempt of this round ended in a way that waiting may mend.
    round_hopeful: bool,
    backoff_ms: u64,
    backoff_max_ms: u64,
    last_switch: Option<u64>,
}

/// The first pause before dialling again, in milliseconds.
const BACKOFF_FIRST_MS: u64 = 100;
/// How many endpoints are learned from gossip at most.
const DISCOVERED: usize = 64;

/// What to do after a failed attempt.
pub(crate) enum Next {
    /// Dial the next endpoint of the round at once.
    Dial,
    /// The round is over: wait this many milliseconds. The error is there when every endpoint
    /// failed in a way that waiting does not mend.
    Wait(u64, Option<Error>),
}

impl Pool {
    pub fn new(configured: &[String], backoff_max_ms: u64) -> Self {
        let mut pool = Self {
            endpoints: Vec::new(),
            next_id: 0,
            round: Vec::new(),
            round_hopeful: false,
            backoff_ms: BACKOFF_FIRST_MS,
            backoff_max_ms,
            last_switch: None,
        };
        for url in configured {
            pool.add(url.clone(), true);
        }
        pool
    }

    fn add(&mut self, url: String, configured: bool) -> EndpointId {
        let id = EndpointId(self.next_id);
        self.next_id += 1;
        self.endpoints.push(Endpoint { id, url, configured, lame_duck: false, refusal: None });
        id
    }

    pub fn url(&self, id: EndpointId) -> &str {
        self.get(id).map_or("", |e| &e.url)
    }

    /// Whether `place` is one of the endpoints, or the host of one.
    pub fn knows(&self, place: &str) -> bool {
        let host = |url: &str| String::from(url.rsplit_once(':').map_or(url, |(host, _)| host));
        let mut urls = self.endpoints.iter().map(|e| bare(&e.url));
        !place.is_empty() && urls.any(|url| url == place || host(url) == place)
    }

    fn get(&self, id: EndpointId) -> Option<&Endpoint> {
        self.endpoints.iter().find(|e| e.id == id)
    }

    fn get_mut(&mut self, id: EndpointId) -> Option<&mut Endpoint> {
        self.endpoints.iter_mut().find(|e| e.id == id)
    }

    /// Takes over what the cluster tells of itself: new endpoints are added, discovered ones
    /// that are gone are dropped unless in use. Gives the endpoints that are new.
    pub fn gossip(&mut self, urls: &[String], current: EndpointId) -> Vec<(EndpointId, String)> {
        self.endpoints.retain(|e| e.configured || e.id == current || urls.contains(&e.url));
        let mut new = Vec::new();
        for url in urls {
            let known = self.endpoints.iter().any(|e| same_place(&e.url, url));
            let discovered = self.endpoints.iter().filter(|e| !e.configured).count();
            if !known && discovered < DISCOVERED {
                new.push((self.add(url.clone(), false), url.clone()));
            }
        }
        new
    }

    /// The next endpoint of the round; a new round starts behind `after`.
    pub fn next(&mut self, after: Option<EndpointId>) -> Option<EndpointId> {
        // What gossip took away in the meantime is not dialled any more.
        let endpoints = &self.endpoints;
        self.round.retain(|id| endpoints.iter().any(|e| e.id == *id));
        if self.round.is_empty() {
            self.begin_round(after);
        }
        self.round.pop()
    }

    fn begin_round(&mut self, after: Option<EndpointId>) {
        let start = after
            .and_then(|id| self.endpoints.iter().position(|e| e.id == id))
            .map_or(0, |at| at + 1);
        let count = self.endpoints.len();
        // The one that said it leaves comes last: it may be back while no other is there.
        let mut round: Vec<&Endpoint> =
            (0..count).map(|i| &self.endpoints[(start + i) % count]).collect();
        round.sort_by_key(|e| e.lame_duck);
        self.round = round.iter().rev().map(|e| e.id).collect();
        self.round_hopeful = false;
    }

    /// An attempt failed.
    pub fn failed(&mut self, id: EndpointId, error: &Error, rng: &mut Rng) -> Next {
        let final_word = !may_pass(error.code());
        if let Some(endpoint) = self.get_mut(id) {
            endpoint.refusal = final_word.then(|| error.clone());
        }
        self.round_hopeful |= !final_word;
        if !self.round.is_empty() {
            return Next::Dial;
        }
        let hopeless = (!self.round_hopeful).then(|| error.clone());
        Next::Wait(self.pause(rng), hopeless)
    }

    /// The pause before the next round, and the next one twice as long.
    pub fn pause(&mut self, rng: &mut Rng) -> u64 {
        let base = self.backoff_ms;
        self.backoff_ms = base.saturating_mul(2).min(self.backoff_max_ms);
        // ±20 %, so that many hubs do not come back in step.
        (base - base / 5).saturating_add(rng.below(base / 5 * 2 + 1))
    }

    /// A connection held: the next loss starts with the shortest pause again.
    pub fn settled(&mut self) {
        self.backoff_ms = BACKOFF_FIRST_MS;
    }

    /// A connection is up: what was left of the round is no longer wanted.
    pub fn connected(&mut self, id: EndpointId) {
        self.round.clear();
        if let Some(endpoint) = self.get_mut(id) {
            endpoint.refusal = None;
            endpoint.lame_duck = false;
        }
    }

    /// The connection was lost: the next round starts afresh.
    pub fn lost(&mut self) {
        self.round.clear();
    }

    /// A server said that it leaves.
    pub fn lame_duck(&mut self, id: EndpointId) {
        for endpoint in &mut self.endpoints {
            // Only the last one to say so is leaving now; the others have had time to come back.
            endpoint.lame_duck = endpoint.id == id;
        }
    }

    /// Where to go from `current` by a planned switch, besides what was tried; none if nowhere.
    pub fn alternative(&self, current: EndpointId, tried: &[EndpointId]) -> Option<EndpointId> {
        let at = self.endpoints.iter().position(|e| e.id == current).unwrap_or(0);
        let count = self.endpoints.len();
        let others = (1..count).map(|i| self.endpoints[(at + i) % count].id);
        others.into_iter().find(|id| *id != current && !tried.contains(id))
    }

    /// The endpoints to measure against the current one.
    pub fn to_probe(&self, current: EndpointId) -> Vec<EndpointId> {
        self.endpoints.iter().filter(|e| e.id != current).map(|e| e.id).collect()
    }

    /// A measurement came back: whether it is worth a planned switch.
    pub fn worth_switch(
        &mut self,
        now: u64,
        candidate: EndpointId,
        rtt_us: u64,
        current_rtt_us: u64,
        selection: &Selection,
    ) -> bool {
        if let Some(endpoint) = self.get_mut(candidate) {
            endpoint.lame_duck = false;
            endpoint.refusal = None;
        }
        let rested = self
            .last_switch
            .is_none_or(|at| now.saturating_sub(at) >= selection.cooldown_ms.saturating_mul(1000));
        let gain = current_rtt_us.saturating_sub(rtt_us);
        rested
            && gain >= selection.improvement_ms.saturating_mul(1000)
            && gain as f64 >= current_rtt_us as f64 * selection.improvement_ratio
    }

    pub fn switched(&mut self, now: u64) {
        self.last_switch = Some(now);
    }
}

/// Whether an attempt that failed so may succeed by waiting alone. What else it may be, somebody
/// has to mend: credentials, a callback that gives them, a file, what listens there.
pub(crate) fn may_pass(code: Code) -> bool {
    matches!(code, Code::Disconnected | Code::Timeout)
}

/// Whether two ways of writing an endpoint name the same host and port.
fn same_place(a: &str, b: &str) -> bool {
    bare(a) == bare(b)
}

/// An endpoint's host and port.
fn bare(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{borrow::ToOwned, vec};

    fn pool(n: usize) -> Pool {
        let urls: Vec<String> = (0..n).map(|i| alloc::format!("nats://h:{i}")).collect();
        Pool::new(&urls, 5000)
    }

    #[test]
    fn pauses_double_with_jitter_up_to_the_most() {
        let (mut pool, mut rng) = (pool(1), Rng::new(7));
        for base in [100, 200, 400, 800, 1600, 3200, 5000, 5000] {
            let pause = pool.pause(&mut rng);
            assert!(pause >= base * 8 / 10 && pause <= base * 12 / 10, "{base}: {pause}");
        }
        pool.settled();
        assert!(pool.pause(&mut rng) <= 120);
    }

    #[test]
    fn a_round_dials_each_endpoint_once_and_tells_when_all_refuse() {
        let (mut pool, mut rng) = (pool(2), Rng::new(7));
        let refused = Error::new(Code::AuthFailed, "no");
        let first = pool.next(None).unwrap();
        assert!(matches!(pool.failed(first, &refused, &mut rng), Next::Dial));
        let second = pool.next(None).unwrap();
        assert_ne!(first, second);
        assert!(matches!(pool.failed(second, &refused, &mut rng), Next::Wait(_, Some(_))));
        let first = pool.next(None).unwrap();
        pool.failed(first, &Error::new(Code::Disconnected, "down"), &mut rng);
        let second = pool.next(None).unwrap();
        assert!(matches!(pool.failed(second, &refused, &mut rng), Next::Wait(_, None)));
    }

    #[test]
    fn a_lame_duck_is_left_alone_while_another_is_known() {
        let mut pool = pool(2);
        let (a, b) = (EndpointId(0), EndpointId(1));
        pool.lame_duck(a);
        assert_eq!(pool.alternative(a, &[]), Some(b));
        assert_eq!(pool.alternative(a, &[b]), None);
        assert_eq!(pool.next(None), Some(b));
        assert_eq!(pool.next(None), Some(a), "it may be back when no other is there");
        assert_eq!(pool.next(Some(b)), Some(b));
        pool.lost();
        pool.lame_duck(b);
        assert_eq!(pool.alternative(b, &[]), Some(a));
        assert_eq!(pool.next(None), Some(a));
    }

    #[test]
    fn gossip_never_evicts_what_was_configured() {
        let mut pool = pool(2);
        let new = pool.gossip(&["h:0".to_owned(), "x:9".to_owned()], EndpointId(0));
        assert_eq!(new, vec![(EndpointId(2), "x:9".to_owned())]);
        assert!(pool.gossip(&[], EndpointId(0)).is_empty());
        assert_eq!(pool.to_probe(EndpointId(0)), vec![EndpointId(1)]);
    }

    #[test]
    fn a_switch_needs_a_real_gain_and_a_rest() {
        let mut pool = pool(2);
        let selection =
            Selection { improvement_ms: 10, improvement_ratio: 0.2, cooldown_ms: 30_000 };
        let b = EndpointId(1);
        assert!(!pool.worth_switch(0, b, 95_000, 100_000, &selection));
        assert!(!pool.worth_switch(0, b, 1_000, 9_000, &selection));
        assert!(!pool.worth_switch(0, b, 85_000, 100_000, &selection));
        assert!(pool.worth_switch(0, b, 50_000, 100_000, &selection));
        pool.switched(0);
        assert!(!pool.worth_switch(29_000_000, b, 50_000, 100_000, &selection));
        assert!(pool.worth_switch(30_000_000, b, 50_000, 100_000, &selection));
    }
}
