//! Queue events: the batches that handlers have in hands now, by number.
use posthouse_core::{
    Result,
    queue::{Event, Fault, Message, Outcome, Settings, no_event},
};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Events {
    last: u32,
    running: BTreeMap<u32, Event>,
    coming: Vec<Message>,
}

impl Events {
    pub fn message(&mut self, attempts: u32, timestamp: f64, id: &[u8], body: &[u8]) {
        self.coming.push(Message {
            id: String::from_utf8_lossy(id).into_owned(),
            attempts,
            timestamp_ms: timestamp as i64,
            body: body.to_vec(),
        });
    }

    /// Retries and dead letters are the platform's to count, so the settings of the event do not matter.
    pub fn begin(&mut self, queue: &[u8]) -> u32 {
        let messages = core::mem::take(&mut self.coming);
        let queue = String::from_utf8_lossy(queue);
        let event = Event::new(queue, messages, Settings::default(), false);
        // 0 stands for none.
        self.last = self.last.wrapping_add(1).max(1);
        self.running.insert(self.last, event);
        self.last
    }

    pub fn running(&mut self, event: u32) -> Result<&mut Event> {
        self.running.get_mut(&event).ok_or_else(no_event)
    }

    pub fn fault(&mut self, event: u32, fault: &Fault) {
        if let Some(event) = self.running.get_mut(&event) {
            event.fault(fault);
        }
    }

    pub fn end(&mut self, event: u32, success: bool) -> Result<bool> {
        let mut event = self.running.remove(&event).ok_or_else(no_event)?;
        let outcome = if success { Outcome::Success } else { Outcome::Failure };
        Ok(event.finish(outcome).failed)
    }
}

/// What the platform is called with: one object of options, or no argument at all.
#[derive(Serialize)]
pub struct RetryOptions {
    #[serde(rename = "delaySeconds")]
    delay: u32,
}

pub fn no_options() -> [RetryOptions; 0] {
    []
}

/// A delay of 0 is the queue's own, which the platform takes where none is given.
pub fn retry_options(delay: f64) -> Vec<RetryOptions> {
    let given = Some(delay as u32).filter(|delay| *delay != 0);
    given.map(|delay| RetryOptions { delay }).into_iter().collect()
}
