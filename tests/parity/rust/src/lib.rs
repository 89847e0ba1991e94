//! Names every call of Rust that the table has, so that one that is not there does not compile. Nothing
//! of it is ever run.
mod given;
#[allow(clippy::all, clippy::pedantic)]
mod uses;

pub use given::{Given, Lamp};
pub use uses::*;
