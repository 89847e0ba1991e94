//! Variables: state.
use crate::{
    core::Core,
    error::{Error, Status, borrow, boundary, put, quiet, refused, take},
    hub::{Hub, timeout},
    operation::{Operation, begin},
    slice::{Buf, Str},
};
use posthouse_kit::{self as kit, Code, VarId};
use std::sync::Arc;

/// A handle of a variable.
pub struct Variable {
    pub(crate) core: Arc<Core>,
    pub(crate) id: VarId,
    pub(crate) name: Arc<str>,
}

/// What is known besides the value, as C sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    initialized: bool,
    exists: i32,
    pending: bool,
    connected: bool,
    counter: Str,
    writer: Str,
}

impl Meta {
    /// The texts point into `storage`.
    pub fn of(meta: &kit::Meta, storage: &mut String) -> Self {
        storage.clear();
        let (mut counter, mut writer) = (Str::NONE, Str::NONE);
        if let Some(version) = &meta.version {
            storage.push_str(version.counter.as_str());
            let split = storage.len();
            storage.push_str(&version.writer);
            let (first, second) = storage.as_bytes().split_at(split);
            (counter, writer) = (Str::of(first), Str::of(second));
        }
        Self {
            initialized: meta.initialized,
            exists: meta.exists.map_or(-1, i32::from),
            pending: meta.pending,
            connected: meta.connected,
            counter,
            writer,
        }
    }
}

/// The variable of a name; the same name always means the same one. Freeing the handle forgets nothing.
/// INVALID_NAME, MEMORY_FULL, CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_variable(
    hub: *const Hub,
    name: Str,
    variable: *mut *mut Variable,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none, and a text for the call.
        let (core, name) =
            unsafe { (&borrow(hub, "hub")?.0, name.text(Code::InvalidName, "a variable's name")?) };
        let id = core.kit.var(name)?;
        // SAFETY: the program gives a place, or none.
        Ok(unsafe { put(variable, Variable { core: Arc::clone(core), id, name: name.into() })? })
    })
}

/// Frees a variable's handle. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_free(variable: *mut Variable) {
    quiet((), || {
        // SAFETY: the program gives up its handle.
        let variable = unsafe { take(variable) };
        if kit::forked() {
            std::mem::forget(variable);
        }
    });
}

/// Its name. Borrowed from the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_name(variable: *const Variable) -> Str {
    // SAFETY: the program gives a live handle, or none.
    unsafe { variable.as_ref() }.map_or(Str::NONE, |variable| Str::of(variable.name.as_bytes()))
}

/// Writes the value, as JSON: into memory at once, to the others as soon as there is a way.
/// INVALID_VALUE, VALUE_TOO_LARGE, MEMORY_FULL, DRAINING, CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_set(
    variable: *const Variable,
    value: Str,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none, and bytes for the call.
        let (variable, value) = unsafe { (borrow(variable, "variable")?, value.bytes()) };
        Ok(variable.core.kit.set(variable.id, value)?)
    })
}

/// Deletes the value, for everybody. MEMORY_FULL, DRAINING, CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_erase(
    variable: *const Variable,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let variable = unsafe { borrow(variable, "variable")? };
        Ok(variable.core.kit.delete(variable.id)?)
    })
}

/// The current value, as JSON, from memory. `exists` is false where there is none or it is not known; then
/// the buffer is empty. `value` has to be zeroed or of an earlier call: its memory is used again. The
/// program frees it. FORKED, INTERNAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_get(
    variable: *const Variable,
    exists: *mut bool,
    value: *mut Buf,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle and places, or none.
        let (variable, places) =
            unsafe { (borrow(variable, "variable")?, exists.as_mut().zip(value.as_mut())) };
        let (exists, value) =
            places.ok_or_else(|| refused(Code::InvalidOptions, "a place for the value is NULL"))?;
        // SAFETY: buffers are made by this library only, or zeroed.
        let mut bytes = unsafe { value.take() };
        let found = variable.core.kit.get_into(variable.id, &mut bytes);
        *value = Buf::give(bytes);
        *exists = found?;
        Ok(())
    })
}

/// What is known besides the value. The texts point into `storage`, which has to be zeroed or of an earlier
/// call, and which the program frees. FORKED, INTERNAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_meta(
    variable: *const Variable,
    meta: *mut Meta,
    storage: *mut Buf,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle and places, or none.
        let (variable, places) =
            unsafe { (borrow(variable, "variable")?, meta.as_mut().zip(storage.as_mut())) };
        let (meta, storage) = places
            .ok_or_else(|| refused(Code::InvalidOptions, "a place for the metadata is NULL"))?;
        // SAFETY: buffers are made by this library only, or zeroed.
        drop(unsafe { storage.take() });
        let mut text = String::new();
        // Vectors keep their place when they are handed over.
        *meta = Meta::of(&variable.core.kit.meta(variable.id)?, &mut text);
        *storage = Buf::give(text.into_bytes());
        Ok(())
    })
}

/// Waits until it is known what the variable holds. POSTHOUSE_DEFAULT: as long as it takes, which the hub's
/// `peer_timeout` bounds. The operation ends with TIMEOUT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_ready(
    variable: *const Variable,
    timeout_ms: i64,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let variable = unsafe { borrow(variable, "variable")? };
        let timeout_ms = timeout(&variable.core, timeout_ms)?;
        let ready = kit::Operation::Ready { var: Some(variable.id), timeout_ms };
        begin(&variable.core, "ready()", ready, operation)
    })
}
