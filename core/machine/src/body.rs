//! Bodies of received messages. Those that arrive together share one piece of memory, which spares
//! an allocation for each.
use alloc::string::String;
use core::{fmt, ops::Deref};

#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) use alloc::rc::Rc as Shared;
#[cfg(target_has_atomic = "ptr")]
pub(crate) use alloc::sync::Arc as Shared;

/// The validated JSON of a received message. Clones are cheap. It is a slice of memory that messages
/// which arrived about the same time share: whoever keeps one keeps up to 16 KiB, or a message that
/// is larger.
#[derive(Clone)]
pub struct Body {
    chunk: Shared<String>,
    start: u32,
    end: u32,
}

impl Body {
    pub(crate) fn new(chunk: &Shared<String>, start: u32, end: u32) -> Self {
        Self { chunk: Shared::clone(chunk), start, end }
    }

    /// The JSON as text.
    #[inline]
    pub fn text(&self) -> &str {
        // Always there: it was cut along whole texts.
        self.chunk.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl Deref for Body {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.text().as_bytes()
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Body {}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}
