//! Damaged conversations: whatever comes, in whatever pieces, the router stays whole, its answers do
//! not depend on the pieces, and other clients are served.

mod scripts;

use std::time::Duration;

use posthouse_node::{ClientId, NodeOptions, Router};
use scripts::SCRIPTS;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }
}

/// Two or three scripts one after the other, with a few bytes changed, lost, doubled or put in.
fn damaged(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=random.below(3) {
        bytes.extend_from_slice(SCRIPTS[random.below(SCRIPTS.len())].say);
    }
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.below(256) as u8,
            1 => {
                bytes.remove(at);
            }
            2 => bytes.insert(at, b"\r\n \t0123456789aPS*>."[random.below(20)]),
            3 => bytes.truncate(at + 1),
            _ => {
                let end = (at + random.below(30)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

fn hear(router: &mut Router, id: ClientId) -> Vec<u8> {
    let (mut all, mut part) = (Vec::new(), Vec::new());
    while router.take_output(id, &mut part) {
        router.written(id, part.len());
        all.append(&mut part);
    }
    all
}

/// What the damaged client and a bystander hear, and whether the former is ended.
fn run(pieces: &[&[u8]], options: &NodeOptions) -> (Vec<u8>, Vec<u8>, bool) {
    let mut router = Router::new(options, "TESTNODE", 99);
    let bystander = router.open(Duration::ZERO, None);
    let text = "CONNECT {\"verbose\":false,\"headers\":true}\r\nSUB > 1\r\n";
    router.receive(bystander, text.as_bytes());
    let odd = router.open(Duration::ZERO, None);
    for piece in pieces {
        router.receive(odd, piece);
    }
    let (heard, ended) = (hear(&mut router, odd), router.is_ending(odd));
    router.receive(bystander, b"PING\r\n");
    let seen = hear(&mut router, bystander);
    assert!(seen.ends_with(b"PONG\r\n"), "the bystander is served");
    router.close(odd);
    assert_eq!(router.stats().subscriptions, 1, "nothing stays behind");
    (heard, seen, ended)
}

#[test]
fn answers_do_not_depend_on_the_pieces() {
    let mut random = Random(0x51de_ca4e_0001);
    let options = NodeOptions { max_payload: 2000, ..NodeOptions::default() };
    let mut ended = 0;
    for round in 0..4000 {
        let bytes = damaged(&mut random);
        let whole = run(&[&bytes], &options);
        ended += usize::from(whole.2);
        let mut pieces = Vec::new();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let most = if round % 2 == 0 { 3 } else { 40 };
            let (piece, later) = rest.split_at((1 + random.below(most)).min(rest.len()));
            pieces.push(piece);
            rest = later;
        }
        assert!(run(&pieces, &options) == whole, "{}", bytes.escape_ascii());
    }
    assert!((500..3500).contains(&ended), "a mixture of both: {ended}");
}

#[test]
fn noise() {
    let mut random = Random(0xbad_5eed);
    let options = NodeOptions::default();
    for _ in 0..2000 {
        let length = 1 + random.below(300);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        if random.below(2) == 0 {
            let verbs: [&[u8]; 4] = [b"PUB ", b"HPUB ", b"SUB ", b"CONNECT "];
            bytes.splice(0..0, verbs[random.below(4)].iter().copied());
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert!(run(&single, &options) == run(&[&bytes], &options), "{}", bytes.escape_ascii());
    }
}
