//! Header blocks: what is accepted comes back the same after encoding, and what is built is accepted.
use crate::input::Input;
use posthouse_core::{
    Code, Headers,
    headers::{HeaderLimits, Status},
};

fn encoded(headers: &Headers) -> Vec<u8> {
    let mut out = b"before".to_vec();
    headers.encode(&mut out);
    assert_eq!(out.len(), 6 + headers.encoded_len());
    out.split_off(6)
}

/// What holds for all headers there are.
fn sound(headers: &Headers) {
    let block = encoded(headers);
    if headers.is_empty() {
        assert!(block.is_empty());
        return;
    }
    let (status, back) = Headers::decode(&block).expect("what is sent can be read");
    assert_eq!((status, &back), (None, headers));
    assert_eq!(encoded(&back), block, "encoding twice changes nothing");
    for (name, value) in headers.iter() {
        assert!(!name.is_empty() && value.trim_matches(' ') == value);
        assert!(headers.get_all(name).any(|other| other == value));
        assert_eq!(headers.get(name), headers.get_all(name).next());
        assert_eq!(headers.get(&name.to_ascii_uppercase()), headers.get(name));
        assert!(back.iter().all(|(name, _)| !name.bytes().any(|b| b.is_ascii_uppercase())));
    }
    let limits = HeaderLimits { entries: 3, bytes: 60 };
    let over = headers.len() > limits.entries || block.len() > limits.bytes;
    assert_eq!(
        headers.check(&limits).err().map(|e| e.code()),
        over.then_some(Code::MessageTooLarge)
    );
}

fn received(block: &[u8]) {
    match Headers::decode(block) {
        Ok((status, headers)) => {
            if let Some(Status { code, description }) = status {
                assert!(code < 1000 && description.trim_matches(' ') == description);
            }
            sound(&headers);
        }
        Err(error) => assert_eq!(error.code(), Code::InvalidHeaders),
    }
}

fn built(mut input: Input<'_>) {
    let mut headers = Headers::new();
    while let Some(how) = input.next() {
        let name = match how >> 4 {
            0 => input.text(),
            n => ["a", "A", "Trace-Id", "x", "trace-id", "X"][usize::from(n) % 6].to_owned(),
        };
        let value = input.text();
        let before = headers.clone();
        let done = if how & 1 == 0 {
            headers.append(&name, &value)
        } else {
            headers.insert(&name, &value)
        };
        match done {
            Err(error) => {
                assert_eq!(error.code(), Code::InvalidHeaders);
                assert!(headers == before && headers.len() == before.len());
            }
            Ok(()) if how & 1 == 0 => {
                assert_eq!(headers.len(), before.len() + 1);
                assert_eq!(headers.get_all(&name).last(), Some(value.trim_matches(' ')));
            }
            Ok(()) => {
                let all: Vec<_> = headers.get_all(&name).collect();
                assert_eq!(all, [value.trim_matches(' ')]);
            }
        }
    }
    sound(&headers);
}

/// An even first byte: a received block follows; an odd one: choices to build headers with.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((mode, rest)) if mode & 1 == 1 => built(Input(rest)),
        Some((_, rest)) => received(rest),
        None => received(data),
    }
}
