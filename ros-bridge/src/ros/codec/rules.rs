//! The choices where ROS has values that JSON, or the hub, has not.

/// How messages become JSON and JSON becomes messages. The same rules hold both ways.
///
/// Fixed, not a choice: `time` and `duration` are `{"secs":…,"nsecs":…}`; text that is not UTF-8 has each bad
/// sequence replaced by U+FFFD and is counted; −0 becomes 0; a float32 has the fewest digits that give
/// it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// `uint8[]`, `char[]`, fixed or not.
    pub bytes: Bytes,
    /// Floats that JSON cannot hold.
    pub floats: Floats,
    /// `int64` and `uint64`.
    pub integers: Integers,
}

/// What arrays of bytes become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bytes {
    /// A string in base64 with padding.
    #[default]
    Base64,
    /// An array of numbers.
    Numbers,
}

/// What NaN and the infinities become, and floats from 2^53 on, for which the hub has no number either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floats {
    /// `null`, which becomes NaN on the way back.
    #[default]
    Null,
    /// `"NaN"`, `"Infinity"`, `"-Infinity"`, and the digits of a large one (`"1e+300"`).
    Strings,
    /// The whole message is refused.
    Refuse,
}

/// What 64-bit integers become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// Numbers; a message with one beyond ±(2^53 − 1) is refused.
    #[default]
    Numbers,
    /// Strings of decimal digits, all of them.
    Strings,
}
