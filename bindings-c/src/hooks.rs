//! Failing on purpose, for the tests.
use crate::{
    error::{Error, Status, borrow, boundary},
    hub::Hub,
};
use posthouse_kit::Fault;

/// Panics: 0 here, 1 in the middle of an operation, else soon on the I/O thread.
#[cfg(feature = "test-hooks")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_test_fail(
    hub: *const Hub,
    where_: u32,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        let fault = match where_ {
            0 => Fault::Here,
            1 => Fault::UnderLock,
            _ => Fault::OnIoThread,
        };
        // SAFETY: the program gives a live handle, or none.
        Ok(unsafe { borrow(hub, "hub")? }.0.kit.fail(fault)?)
    })
}
