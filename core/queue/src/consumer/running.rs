//! The loop of the Rust face: batches to a handler.
use super::{Batch, Consumer, context};
use crate::StoreError;
use posthouse_core::queue::Outcome;
use std::{fmt, sync::Arc, time::Duration};
use tokio::task::JoinHandle;

/// A consumer that runs. Dropped, it is stopped, and its running handlers go on to their end.
#[derive(Debug)]
pub struct Running {
    consumer: Arc<Consumer>,
    driver: Option<JoinHandle<Result<(), StoreError>>>,
}

impl Running {
    /// Starts on the current tokio runtime.
    pub(crate) fn start<F, R, E>(consumer: Consumer, handler: F) -> Self
    where
        F: Fn(Batch) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display + Send + 'static,
    {
        let consumer = Arc::new(consumer);
        let (intake, handler) = (consumer.clone(), Arc::new(handler));
        let driver = tokio::spawn(async move {
            let end = loop {
                match intake.next().await {
                    Ok(Some(batch)) => drop(tokio::spawn(handle(batch, handler.clone()))),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            if let Err(error) = &end {
                log::error!("queue {}: nothing is consumed any more: {error}", intake.queue());
            }
            end
        });
        Self { consumer, driver: Some(driver) }
    }

    /// The consumer.
    pub fn consumer(&self) -> &Consumer {
        &self.consumer
    }

    /// Takes no more batches, gives back what no handler has started on, and waits for the running handlers.
    ///
    /// # Errors
    /// The store's, where consuming had ended by it.
    pub async fn close(mut self) -> Result<(), StoreError> {
        self.consumer.stop();
        self.end().await
    }

    /// As [`Running::close`], and handlers that run longer than `time` from now are told to leave off and
    /// dropped; their batches have failed.
    ///
    /// # Errors
    /// As [`Running::close`].
    pub async fn close_within(mut self, time: Duration) -> Result<(), StoreError> {
        self.consumer.stop();
        let consumer = self.consumer.clone();
        tokio::select! {
            end = self.end() => return end,
            () = tokio::time::sleep(time) => (),
        }
        consumer.cancel();
        consumer.fail_running().await;
        consumer.idle().await;
        Ok(())
    }

    /// Waits until consuming ends: by an error of the store, or [`Consumer::stop`].
    ///
    /// # Errors
    /// The store's.
    pub async fn ended(&mut self) -> Result<(), StoreError> {
        self.end().await
    }

    async fn end(&mut self) -> Result<(), StoreError> {
        let end = match &mut self.driver {
            Some(driver) => driver.await.unwrap_or(Ok(())),
            None => Ok(()),
        };
        self.driver = None;
        self.consumer.idle().await;
        end
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.consumer.stop();
    }
}

impl Consumer {
    async fn fail_running(&self) {
        let running = self.running().clone();
        for batch in running {
            batch.finish(Outcome::Failure).await;
        }
    }
}

async fn handle<F, R, E>(batch: Batch, handler: Arc<F>)
where
    F: Fn(Batch) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send + 'static,
    E: fmt::Display + Send + 'static,
{
    let own = batch.clone();
    // A task of its own: its panic is a failure, and at the time limit it is dropped where it stands.
    let mut task = tokio::spawn(async move {
        let run = async { handler(own.clone()).await };
        context::scope(own.clone(), run).await.map_err(|error| error.to_string())
    });
    let outcome = tokio::select! {
        end = &mut task => match end {
            Ok(Ok(())) => Outcome::Success,
            Ok(Err(error)) => {
                log::warn!("queue {}: the handler failed: {error}", batch.queue());
                Outcome::Failure
            }
            Err(_) => {
                log::warn!("queue {}: the handler panicked", batch.queue());
                Outcome::Failure
            }
        },
        () = batch.ended() => {
            task.abort();
            Outcome::Failure
        }
    };
    batch.finish(outcome).await;
}
