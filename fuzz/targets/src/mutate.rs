//! Seeded changes of corpus entries, for runs without libFuzzer.
use posthouse_core::rng::Rng;

/// Pieces that lead somewhere in one format or another.
const WORDS: [&[u8]; 16] = [
    b"\r\n",
    b"MSG ",
    b"HMSG ",
    b"PUB ",
    b"NATS/1.0\r\n\r\n",
    b"\"",
    b"\\ud83d\\ude00",
    b"1e15",
    b"-0",
    b"{}",
    b"[",
    b"null",
    b" 0 ",
    b".*",
    b">",
    b"\xf0\x9f\x98\x80",
];

/// One of `entries` with a few changes.
pub fn mutated(rng: &mut Rng, entries: &[Vec<u8>]) -> Vec<u8> {
    let mut data = pick(rng, entries).to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(data.len() as u64 + 1) as usize;
        match rng.below(7) {
            0 => data.insert(at, rng.below(256) as u8),
            1 | 2 if at < data.len() => data[at] = rng.below(256) as u8,
            3 if at < data.len() => data[at] ^= 1 << rng.below(8),
            4 => {
                let end = (at + rng.below(12) as usize).min(data.len());
                data.drain(at..end);
            }
            5 => {
                let word = WORDS[rng.below(WORDS.len() as u64) as usize];
                data.splice(at..at, word.iter().copied());
            }
            _ => {
                let other = pick(rng, entries);
                let start = rng.below(other.len() as u64 + 1) as usize;
                let end = (start + rng.below(40) as usize).min(other.len());
                data.splice(at..at, other[start..end].iter().copied());
            }
        }
    }
    data
}

fn pick<'a>(rng: &mut Rng, entries: &'a [Vec<u8>]) -> &'a [u8] {
    if entries.is_empty() { b"" } else { &entries[rng.below(entries.len() as u64) as usize] }
}
