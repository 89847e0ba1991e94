//! Credentials that the program tells when it is asked.
//!
//! An attempt to connect runs on the I/O thread, which must neither wait nor run foreign code. So the
//! question goes through the queue, and the attempt waits, within its own time-out, for the answer.
use crate::{Event, outbox::Outbox};
use posthouse::Credential;
use posthouse_core::{Code, Error, Result};
use std::sync::{Arc, Weak};
use tokio::sync::oneshot;

/// Names one question for a credential until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AskId(pub u64);

/// Takes a question back when nobody waits for its answer any more.
struct Open {
    outbox: Arc<Outbox>,
    ask: AskId,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.outbox.withdraw(self.ask);
    }
}

/// A credential that is asked for through the queue.
pub(crate) fn credential(outbox: &Arc<Outbox>, what: &'static str) -> Credential {
    // The outbox is held by the hub that holds this.
    let outbox = Arc::downgrade(outbox);
    Credential::Async(Arc::new(move || Box::pin(question(Weak::clone(&outbox), what))))
}

async fn question(outbox: Weak<Outbox>, what: &'static str) -> Result<String> {
    let gone = || Error::new(Code::Closed, "the hub was closed before it was answered");
    let outbox = outbox.upgrade().ok_or_else(gone)?;
    let ask = outbox.next_ask();
    let (sender, answer) = oneshot::channel();
    outbox.asks().insert(ask, sender);
    let open = Open { outbox, ask };
    open.outbox.push(Event::Ask { ask, what });
    // The question stays open until here, or until the attempt that asks is given up.
    let told = answer.await.map_err(|_| gone());
    drop(open);
    told?
}
