//! First deliveries with a delay on streams that cannot publish later.
//!
//! Such messages lie on subjects of their own, where no worker sees them. A consumer for these gives each to any
//! process that reads the queue; before its time it is given back with the rest of the delay, then it is moved. The
//! number of its deliveries is nobody's attempts.
use super::{
    api::number,
    delivery::Arrived,
    names::{DUE, ID, MOVER, TIME},
    pull::pull,
    queue::Inner,
};
use crate::Stop;
use bytes::Bytes;
use futures_util::future::join_all;
use std::{
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};
use tokio::time::sleep;

const AT_ONCE: usize = 256;
const WAIT: Duration = Duration::from_secs(10);

/// Starts the mover of a queue, once; it ends with the store or when nobody has the queue any more.
pub(super) fn start(queue: &Arc<Inner>) {
    if !queue.moving.swap(true, Ordering::Relaxed) {
        tokio::spawn(run(Arc::downgrade(queue)));
    }
}

async fn run(queue: Weak<Inner>) {
    let never = Stop::never();
    while let Some(queue) = queue.upgrade() {
        let stream = queue.names.stream.as_str();
        match pull(&queue.link, stream, MOVER, AT_ONCE, WAIT, &never).await {
            // Whoever comes next takes them on; here they count for nothing.
            Ok(pulled) if pulled.stopped => return,
            Ok(pulled) => {
                join_all(pulled.messages.into_iter().map(|arrived| queue.move_on(arrived))).await;
            }
            Err(_) => {
                queue.link.up().await;
                sleep(Duration::from_millis(500)).await;
            }
        }
    }
}

impl Inner {
    async fn move_on(&self, arrived: Arrived) {
        let headers = arrived.headers.as_ref();
        let rest = number(headers, DUE).unwrap_or(0) - self.link.clock.now_ms();
        if let Ok(rest @ 1..) = u64::try_from(rest) {
            self.nak(&arrived.address, Duration::from_millis(rest)).await;
            return;
        }
        let (id, time) = (arrived.id(), arrived.timestamp_ms().to_string());
        let unique = format!("{id}.due");
        let headers = [(ID, id.as_str()), (TIME, time.as_str())];
        // What fails here is tried again when the server delivers it again; it knows the copy by its name.
        if self.transfer(&self.names.ready, &unique, &headers, arrived.body).await.is_ok() {
            let words = Bytes::from_static(b"+ACK");
            let _ = self.link.ask(&arrived.address, None, words, WAIT).await;
        }
    }
}
