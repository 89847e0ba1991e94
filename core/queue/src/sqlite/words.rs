//! SQLite's errors as the store's own words.
use crate::{StoreError, Trouble};
use rusqlite::{Error, ErrorCode};
use std::path::Path;

/// What SQLite said.
pub(super) fn said(error: &Error) -> StoreError {
    StoreError::new(trouble(error), words(error))
}

/// What SQLite said about a file.
pub(super) fn at(error: &Error, path: &Path) -> StoreError {
    let (words, path) = (words(error), path.display().to_string());
    // Some of its words name the file already.
    let named = if words.contains(&path) { words } else { format!("{path}: {words}") };
    StoreError::new(trouble(error), named)
}

fn words(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(words)) => words.clone(),
        other => other.to_string(),
    }
}

fn trouble(error: &Error) -> Trouble {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Trouble::Full,
        Some(
            ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied,
        ) => Trouble::Forbidden,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Trouble::Corrupt,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Unreachable,
        _ => Trouble::Other,
    }
}

/// After [`Store::close`](crate::Store::close).
pub(super) fn closed() -> StoreError {
    StoreError::new(Trouble::Closed, "the queue file was closed")
}
