//! What comes from the table `api.toml` of this crate.
pub mod code;
pub mod limits;
pub mod options;
