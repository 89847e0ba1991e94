//! One queue, as the rest of the crate sees it.
use super::{
    leases::Leases,
    link::Link,
    names::Names,
    setup::{self, Made},
};
use crate::{
    Delivery, NewMessage, Peeked, Queue, Renewed, Settled, Settlement, Stats, Stop, StoreError,
    Task, Terms, Ticket,
};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// What the operations of a queue share.
pub(super) struct Inner {
    pub(super) link: Arc<Link>,
    pub(super) names: Names,
    pub(super) terms: Terms,
    pub(super) replicas: Option<u8>,
    pub(super) made: Made,
    /// The dead-letter queue.
    pub(super) dead: Option<Names>,
    pub(super) leases: Leases,
    /// Whether the mover runs.
    pub(super) moving: AtomicBool,
}

impl Inner {
    /// Opens a queue.
    pub(super) async fn open(
        link: &Arc<Link>,
        name: &str,
        terms: Terms,
        replicas: Option<u8>,
    ) -> Result<Self, StoreError> {
        let names = Names::new(name)?;
        let dead = terms.dead_letter.as_deref().map(Names::new).transpose()?;
        let made = setup::ensure(link, &names, &terms, replicas).await?;
        if let Some(dead) = &dead {
            setup::ensure_dead(link, dead, replicas).await?;
        }
        Ok(Self {
            link: Arc::clone(link),
            names,
            terms,
            replicas,
            made,
            dead,
            leases: Leases::default(),
            moving: AtomicBool::new(false),
        })
    }

    /// Makes or checks again what the server has lost or somebody has deleted.
    pub(super) async fn ensure(&self) -> Result<(), StoreError> {
        setup::ensure(&self.link, &self.names, &self.terms, self.replicas).await.map(drop)
    }
}

/// A queue on JetStream.
pub(super) struct JetStreamQueue(pub(super) Arc<Inner>);

impl Queue for JetStreamQueue {
    fn name(&self) -> &str {
        &self.0.names.queue
    }

    fn terms(&self) -> &Terms {
        &self.0.terms
    }

    fn send(&self, messages: Vec<NewMessage>) -> Task<'_, ()> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.send_all(messages).await
        })
    }

    fn atomic(&self) -> bool {
        self.0.made.atomic
    }

    fn lease<'a>(&'a self, max: usize, wait: Duration, stop: &'a Stop) -> Task<'a, Vec<Delivery>> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.lease_some(max, wait, stop).await
        })
    }

    fn renew<'a>(&'a self, tickets: &'a [Ticket]) -> Task<'a, Vec<Renewed>> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            Ok(self.0.renew_all(tickets).await)
        })
    }

    fn settle<'a>(&'a self, messages: &'a [(Ticket, Settlement)]) -> Task<'a, Vec<Settled>> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.settle_all(messages).await
        })
    }

    fn stats(&self) -> Task<'_, Stats> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.figures().await
        })
    }

    fn peek(&self, max: usize) -> Task<'_, Vec<Peeked>> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.look(max).await
        })
    }

    fn purge(&self) -> Task<'_, u64> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.remove_all().await
        })
    }

    fn redrive(&self, max: Option<u64>) -> Task<'_, u64> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.bring_back(max.unwrap_or(u64::MAX)).await
        })
    }

    fn pause(&self) -> Task<'_, ()> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.set_paused(true).await
        })
    }

    fn resume(&self) -> Task<'_, ()> {
        Box::pin(async move {
            let _under_way = self.0.link.enter().await?;
            self.0.set_paused(false).await
        })
    }
}
