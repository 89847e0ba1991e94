//! A hub's variables: state, watches, and messages by name.
use crate::{Hub, WatchReader};
use posthouse_core::{
    Error, Headers, Result, VarId, WatchId,
    hub::{Meta, View},
};

/// State and events by name.
impl Hub {
    /// The stable reference of a name; the same name always gives the same one. Only good for this
    /// hub.
    ///
    /// # Errors
    /// `INVALID_NAME`, `MEMORY_FULL`, `CLOSED`, `FORKED`, `INTERNAL`.
    pub fn var(&self, name: &str) -> Result<VarId> {
        self.engine().with(|hub, _| hub.var(name))?
    }

    /// Publishes an event: JSON written under [`Hub::message_limits`].
    ///
    /// # Errors
    /// `INVALID_TOPIC`, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`, `DISCONNECTED`, `DRAINING`, `CLOSED`,
    /// `FORKED`, `INTERNAL`.
    pub fn publish(&self, var: VarId, body: &[u8], headers: Option<&Headers>) -> Result<()> {
        self.engine().with(|hub, _| hub.publish(var, body, headers))?
    }

    /// As [`Hub::publish`], but none, with nothing done, if it would have to wait for another thread: for
    /// a host that must not keep others from running meanwhile.
    ///
    /// # Errors
    /// As [`Hub::publish`].
    pub fn try_publish(
        &self,
        var: VarId,
        body: &[u8],
        headers: Option<&Headers>,
    ) -> Result<Option<()>> {
        self.engine().try_with(|hub, _| hub.publish(var, body, headers))?.transpose()
    }

    /// Writes a value: JSON written under [`Hub::value_limits`]. Works offline.
    ///
    /// # Errors
    /// `INVALID_VALUE`, `VALUE_TOO_LARGE`, `MEMORY_FULL`, `DRAINING`, `CLOSED`, `FORKED`, `INTERNAL`.
    pub fn set(&self, var: VarId, value: &[u8]) -> Result<()> {
        self.engine().call(|hub, _, now| hub.set(now, var, value))?
    }

    /// Deletes a value, for everybody. Works offline.
    ///
    /// # Errors
    /// `MEMORY_FULL`, `DRAINING`, `CLOSED`, `FORKED`, `INTERNAL`.
    pub fn delete(&self, var: VarId) -> Result<()> {
        self.engine().call(|hub, _, now| hub.delete(now, var))?
    }

    /// The current value in canonical JSON; `None` where there is none or it is unknown.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn get(&self, var: VarId) -> Result<Option<Box<[u8]>>> {
        self.engine().with(|hub, _| hub.get(var).map(Box::from))
    }

    /// [`Hub::get`] into a buffer of the caller's, which is cleared first; says whether there is one.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn get_into(&self, var: VarId, out: &mut Vec<u8>) -> Result<bool> {
        out.clear();
        self.engine().with(|hub, _| {
            let value = hub.get(var);
            out.extend_from_slice(value.unwrap_or_default());
            value.is_some()
        })
    }

    /// What is known of a variable besides its value.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn meta(&self, var: VarId) -> Result<Meta> {
        self.engine().with(|hub, _| hub.meta(var))
    }

    /// Value and what is known besides, of one moment.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn view(&self, var: VarId) -> Result<View> {
        self.engine()
            .with(|hub, _| View { value: hub.get(var).map(Box::from), meta: hub.meta(var) })
    }

    /// Watches a variable: an [`crate::Event::Watch`] for the initialised state, and after changes.
    ///
    /// # Errors
    /// `CLOSED`, `FORKED`, `INTERNAL`.
    pub fn watch(&self, var: VarId) -> Result<WatchId> {
        self.engine().with(|hub, _| hub.watch(var))?
    }

    /// Watches a variable for threads that wait for its news.
    ///
    /// # Errors
    /// `CLOSED`, `FORKED`, `INTERNAL`.
    pub fn watch_reading(&self, var: VarId) -> Result<WatchReader> {
        let (watch, bell) = self.engine().with(|hub, sink| {
            let watch = hub.watch(var)?;
            Ok::<_, Error>((watch, sink.watches(watch)))
        })??;
        Ok(WatchReader::new(self.clone(), watch, bell))
    }

    /// Takes the news of a watch, after its event. `None`: it was stopped.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn take_watch(&self, watch: WatchId) -> Result<Option<View>> {
        self.engine().with(|hub, _| hub.take_watch(watch))
    }

    pub(crate) fn take_news(&self, watch: WatchId) -> Result<Option<View>> {
        self.engine().with(|hub, _| hub.take_news(watch))
    }

    /// Stops a watch at once. An event of it that is queued already may still come.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn unwatch(&self, watch: WatchId) -> Result<()> {
        self.engine().with(|hub, sink| {
            hub.unwatch(watch);
            sink.unwatches(watch);
        })
    }
}
