//! Watches: of a variable, of the hub's status, of the instances.
use crate::{
    callback::{Callback, Closure, Raw},
    core::Core,
    error::{Error, Status, borrow, boundary, put, quiet, refused, take},
    hub::Hub,
    scope,
    slice::Str,
    variable::{Meta, Variable},
};
use posthouse_kit::{self as kit, Code, WatchId};
use std::{ffi::c_void, sync::Arc, time::Duration};

pub type ViewFn = unsafe extern "C" fn(*mut c_void, *const View);
pub type ViewClosure = Raw<ViewFn>;
pub type JsonFn = unsafe extern "C" fn(*mut c_void, Str);
pub type JsonClosure = Raw<JsonFn>;

/// A variable at one moment, as C sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct View {
    value: Str,
    meta: Meta,
}

/// A watch of a variable.
pub struct Watcher {
    id: WatchId,
    callback: Callback<ViewFn>,
}

impl Watcher {
    /// There is news.
    pub fn tell(&self, core: &Core) {
        if core.is_silent() {
            return;
        }
        let Some(run) = self.callback.enter() else { return };
        let Ok(Some(view)) = core.kit.take_watch(self.id) else { return };
        let mut storage = String::new();
        let meta = Meta::of(&view.meta, &mut storage);
        let shown = View { value: view.value.as_deref().map_or(Str::NONE, Str::of), meta };
        let _inside = scope::enter(core.key(), None);
        // SAFETY: the program's function, with its context and a view for the call.
        run.call(|call, context| unsafe { call(context, &raw const shown) });
    }

    pub fn end(&self) {
        self.callback.end();
    }
}

/// A watch of what a hub tells of itself.
pub struct HubWatch {
    instances: bool,
    callback: Callback<JsonFn>,
}

impl HubWatch {
    /// There may be news.
    pub fn tell(&self, core: &Core) {
        if core.is_silent() {
            return;
        }
        let Some(run) = self.callback.enter() else { return };
        let json = if self.instances { core.kit.instances_json() } else { core.kit.status_json() };
        let Ok(json) = json else { return };
        let _inside = scope::enter(core.key(), None);
        // SAFETY: the program's function, with its context and a text for the call.
        run.call(|call, context| unsafe { call(context, Str::of(&json)) });
    }

    pub fn end(&self) {
        self.callback.end();
    }
}

enum Kind {
    Variable(Arc<Watcher>),
    Hub(Arc<HubWatch>),
}

/// A handle of a watch.
pub struct Watch {
    core: Arc<Core>,
    kind: Kind,
}

impl Watch {
    fn stop(&self) {
        match &self.kind {
            Kind::Variable(watcher) => {
                // Only a dead hub has an error here, and it tells nothing more.
                let _ = self.core.kit.unwatch(watcher.id);
                let known = self.core.tables().watches.remove(&watcher.id);
                drop(known);
                self.stop_callback(&watcher.callback);
            }
            Kind::Hub(watch) => {
                let mut tables = self.core.tables();
                tables.status.retain(|other| !Arc::ptr_eq(other, watch));
                tables.instances.retain(|other| !Arc::ptr_eq(other, watch));
                tables.fresh.retain(|other| !Arc::ptr_eq(other, watch));
                drop(tables);
                self.stop_callback(&watch.callback);
            }
        }
    }

    fn stop_callback<F: Copy>(&self, callback: &Callback<F>) {
        if self.core.inside() { callback.end() } else { callback.stop() }
    }
}

/// For the end of the process.
pub fn silence(core: &Core, limit: Duration) {
    let mut tables = core.tables();
    let watchers: Vec<_> = tables.watches.drain().map(|(_, watcher)| watcher).collect();
    let mut watches = std::mem::take(&mut tables.status);
    watches.append(&mut tables.instances);
    drop(tables);
    for watcher in watchers {
        watcher.callback.stop_within(limit);
    }
    for watch in watches {
        watch.callback.stop_within(limit);
    }
}

/// Calls `closure` once the state is known and after every change of value or metadata. States may be
/// passed over, never the last. Freeing the handle ends it. CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_watch(
    variable: *const Variable,
    closure: ViewClosure,
    watch: *mut *mut Watch,
    error: *mut *mut Error,
) -> Status {
    let closure = Closure::new(closure);
    boundary(error, move || {
        // SAFETY: the program gives a live handle, or none.
        let variable = unsafe { borrow(variable, "variable")? };
        let core = &variable.core;
        // No event comes between.
        let mut tables = core.tables();
        let id = core.kit.watch(variable.id)?;
        let watcher = Arc::new(Watcher { id, callback: Callback::new(closure) });
        tables.watches.insert(id, Arc::clone(&watcher));
        drop(tables);
        // SAFETY: the program gives a place, or none.
        Ok(unsafe { put(watch, Watch { core: Arc::clone(core), kind: Kind::Variable(watcher) })? })
    })
}

fn watch_hub(
    hub: *const Hub,
    closure: Closure<JsonFn>,
    instances: bool,
    watch: *mut *mut Watch,
) -> kit::Result<()> {
    // SAFETY: the program gives a live handle, or none.
    let core = &unsafe { borrow(hub, "hub")? }.0;
    let hub_watch = Arc::new(HubWatch { instances, callback: Callback::new(closure) });
    let mut tables = core.tables();
    if tables.gone || core.kit.is_closed() {
        return Err(refused(Code::Closed, "the hub is closed; open a new one"));
    }
    let list = if instances { &mut tables.instances } else { &mut tables.status };
    list.push(Arc::clone(&hub_watch));
    tables.fresh.push(Arc::clone(&hub_watch));
    drop(tables);
    core.kit.rouse()?;
    // SAFETY: the program gives a place, or none.
    unsafe { put(watch, Watch { core: Arc::clone(core), kind: Kind::Hub(hub_watch) }) }
}

/// Calls `closure` with the hub's status, as `posthouse_hub_status` gives it, now and after every change.
/// Freeing the handle ends it. CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_watch(
    hub: *const Hub,
    closure: JsonClosure,
    watch: *mut *mut Watch,
    error: *mut *mut Error,
) -> Status {
    let closure = Closure::new(closure);
    boundary(error, move || Ok(watch_hub(hub, closure, false, watch)?))
}

/// Calls `closure` with the hubs of the namespace, as `posthouse_hub_instances` gives them, now and after
/// every change. Freeing the handle ends it. CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_watch_instances(
    hub: *const Hub,
    closure: JsonClosure,
    watch: *mut *mut Watch,
    error: *mut *mut Error,
) -> Status {
    let closure = Closure::new(closure);
    boundary(error, move || Ok(watch_hub(hub, closure, true, watch)?))
}

/// Ends a watch and frees its handle: outside callbacks of the hub, its callback does not run once this has
/// returned. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_watch_free(watch: *mut Watch) {
    quiet((), || {
        // SAFETY: the program gives up its handle.
        let Some(watch) = (unsafe { take(watch) }) else { return };
        if kit::forked() {
            std::mem::forget(watch);
            return;
        }
        watch.stop();
    });
}
