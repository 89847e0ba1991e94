//! What travels between nodes: a header of fields when a connection is made, then messages with their lengths before
//! them.
mod frame;
mod header;
mod tune;

pub use frame::{Frames, Read};
pub(super) use frame::{read_body, read_length, write_frame};
pub use header::{Header, MAX_HEADER};
pub(super) use header::{read_header, write_header};
pub(super) use tune::tune;
