//! A signal that is given once and stays: leave off waiting, cancel, end.
use tokio::sync::watch;

/// The end that hears it. Clones hear the same.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

/// The end that gives it. When it is dropped without [`Stopper::stop`] the signal never comes.
#[derive(Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// A signal that was not given yet.
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }
    /// Another end that hears it.
    pub fn signal(&self) -> Stop {
        Stop(self.0.subscribe())
    }
    /// Gives the signal; again does nothing.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
    /// Whether it was given.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }
}

impl Default for Stopper {
    fn default() -> Self {
        Self::new()
    }
}

impl Stop {
    /// A signal that never comes.
    pub fn never() -> Self {
        Stopper::new().signal()
    }
    /// Whether it was given.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }
    /// Ends once it is given, at once where it was. Cancel-safe.
    pub async fn stopped(&self) {
        let mut signal = self.0.clone();
        if signal.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_heard_before_and_after() {
        let stopper = Stopper::new();
        let (early, late) = (stopper.signal(), stopper.signal());
        assert!(!early.is_stopped());
        let waiting = tokio::spawn(async move { early.stopped().await });
        stopper.stop();
        waiting.await.unwrap();
        late.stopped().await;
        assert!(late.is_stopped());
    }
}
