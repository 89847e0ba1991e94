//! Making the library fail on purpose, for the tests of bindings.
use crate::{Hub, Operation};
use posthouse_core::Result;

/// Where it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// In the calling thread, between operations: the hub stays sound.
    Here,
    /// In the calling thread, in the middle of an operation: the hub is ended.
    UnderLock,
    /// On the I/O thread, in the middle of an operation: the hub is ended.
    OnIoThread,
}

impl Hub {
    /// Panics, here or soon on the I/O thread.
    ///
    /// # Errors
    /// As [`Hub::begin`].
    pub fn fail(&self, fault: Fault) -> Result<()> {
        match fault {
            Fault::Here => panic!("told to fail here"),
            Fault::UnderLock => self.engine().with(|_, _| panic!("told to fail under the lock")),
            Fault::OnIoThread => {
                // The trap is for the end of the flush, which the I/O thread brings.
                self.engine().with(|_, sink| sink.trap = true)?;
                self.begin(Operation::Flush { timeout_ms: 1_000 }).map(drop)
            }
        }
    }
}
