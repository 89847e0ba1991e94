//! The error of a store: its own words, and what kind of trouble it is.
use std::fmt;

/// What kind of trouble a store has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// There is no room: a full disk, a limit of the server.
    Full,
    /// The file or account may only be read, or not even that.
    Forbidden,
    /// What lies in the store cannot be read any more.
    Corrupt,
    /// The store was written by a newer version.
    Newer,
    /// The queue exists with other settings, or a name the store cannot have.
    Mismatch,
    /// The store cannot be reached or did not answer in time; it may work again.
    Unreachable,
    /// The store was closed.
    Closed,
    /// Anything else.
    Other,
}

/// An error of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    trouble: Trouble,
    words: Box<str>,
}

impl StoreError {
    /// An error in the store's own words, which hold no secret: they are shown to the program after
    /// the contract's fixed text.
    pub fn new(trouble: Trouble, words: impl Into<Box<str>>) -> Self {
        Self { trouble, words: words.into() }
    }
    /// What kind of trouble it is.
    pub fn trouble(&self) -> Trouble {
        self.trouble
    }
    /// The store's own words.
    pub fn words(&self) -> &str {
        &self.words
    }
    /// Whether trying again later makes sense without anybody doing something.
    pub fn passes(&self) -> bool {
        matches!(self.trouble, Trouble::Unreachable | Trouble::Full | Trouble::Other)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for StoreError {}
