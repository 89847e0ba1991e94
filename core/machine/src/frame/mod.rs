//! NATS client frames: bytes from the server become [`Frame`]s, commands become bytes.
//!
//! Nothing here knows what a frame means to the hub; any split of the incoming bytes gives the
//! same frames.
mod decode;
mod encode;
mod info;
mod refusal;

pub use decode::{Decoder, Frame, ProtocolError};
pub use encode::{connect, ping, pong, publish, subscribe, unsubscribe};
pub use info::{ConnectFields, Info};
pub use refusal::{Refusal, ServerError};
