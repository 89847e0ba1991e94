//! The test kit for languages other than Rust: real servers, the fake one and the proxy, as objects that
//! obey lines of JSON on standard input.
//!
//! `{"make":"proxy","port":4222}` makes an object and answers `{"ok":{"object":1,"port":40001}}`;
//! `{"object":1,"do":"swallow","to":"client"}` has it do something. One line in, one line out, in order; what
//! fails is answered with `{"error":"…"}`, and the objects live on. They go with the end of the input, so
//! a test that is killed leaves no server behind. What can be made: `server`, `cluster`, `node`, `proxy`,
//! `fake`, `certs`, `creds`, `nkey`; what each can do is what the kit's own types can.

mod objects;
mod request;
mod settings;

use objects::Objects;
use request::{Answer, Request};
use serde_json::json;
use std::{
    any::Any,
    io::{BufRead, Write},
    panic::{self, AssertUnwindSafe},
};

fn main() {
    // The kit panics with an explanation, which is answered and need not be printed as well.
    panic::set_hook(Box::new(|_| {}));
    let mut objects = Objects::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let done = panic::catch_unwind(AssertUnwindSafe(|| serve(&mut objects, &line)));
        let answer = match done.unwrap_or_else(|cause| Err(explanation(cause.as_ref()))) {
            Ok(value) => json!({ "ok": value }),
            Err(text) => json!({ "error": text }),
        };
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn serve(objects: &mut Objects, line: &str) -> Answer {
    let request = Request::read(line)?;
    match request.text("make") {
        Ok(kind) => objects.make(kind, &request),
        Err(_) => objects.act(&request),
    }
}

fn explanation(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".into())
}
