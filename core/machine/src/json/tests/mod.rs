//! Tests of the JSON rules: against what a JavaScript engine gave (tests/vectors), against serde_json,
//! and by seeded random texts.
mod grammar;
mod random;
mod serde;
mod vectors;
mod writing;

use super::*;
use alloc::{string::String, vec::Vec};

type Rewrite = fn(&[u8], &mut Vec<u8>, &Limits) -> Result<(), JsonError>;

/// What `rewrite` makes of a text, behind bytes that must stay.
fn rewritten(rewrite: Rewrite, text: &[u8]) -> Result<String, JsonError> {
    let mut out = b"before".to_vec();
    let result = rewrite(text, &mut out, &Limits { bytes: 1 << 20, ..Limits::VALUE });
    let rest = out.strip_prefix(b"before").expect("what was there must stay");
    if result.is_err() {
        assert!(rest.is_empty(), "an error must leave nothing");
    }
    result.map(|()| String::from_utf8(rest.to_vec()).expect("JSON is UTF-8"))
}

fn fault(result: Result<(), JsonError>) -> Option<Fault> {
    result.err().map(|error| error.fault)
}
