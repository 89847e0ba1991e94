//! Lines of log on `/rosout`.
use super::{node::Core, publication};
use crate::ros::{Advertise, Layout, LogLevel, Publish, Result, Time, message::Schema};
use std::sync::Arc;

/// The type of the lines. It is not among the definitions that every installation has.
const KIND: &str = "rosgraph_msgs/Log";
const DEFINITION: &str = "byte DEBUG=1
byte INFO=2
byte WARN=4
byte ERROR=8
byte FATAL=16
Header header
byte level
string name
string msg
string file
string function
uint32 line
string[] topics
================================================================================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
";

/// Offers `/rosout`.
pub(super) fn advertise(core: &Arc<Core>) -> Result<Arc<dyn Publish>> {
    let layout = Layout::new(&Schema::from_full_text(KIND, DEFINITION)?)?;
    let wanted = Advertise { queue: 100, ..Advertise::new("/rosout", KIND) };
    let topic = core.names.resolve("/rosout")?;
    publication::advertise_as(core, &topic, Arc::new(layout), &wanted)
}

/// One encoded line.
pub(super) fn line(number: u32, time: Time, level: LogLevel, node: &str, text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + node.len() + text.len());
    let word = |value: u32, out: &mut Vec<u8>| out.extend_from_slice(&value.to_le_bytes());
    let string = |text: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    };
    word(number, &mut out);
    word(time.secs, &mut out);
    word(time.nsecs, &mut out);
    string("", &mut out);
    out.push(level as u8);
    string(node, &mut out);
    string(text, &mut out);
    string("", &mut out);
    string("", &mut out);
    word(0, &mut out);
    word(0, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ros::codec::Rules;
    use posthouse_core::json::Limits;

    #[test]
    fn a_line_is_one_of_the_type_that_everybody_knows() {
        let layout = Layout::new(&Schema::from_full_text(KIND, DEFINITION).unwrap()).unwrap();
        assert_eq!(layout.md5(), "acffd30cd6b6de30f120938c17c593fb");
        let line = line(7, Time { secs: 1, nsecs: 2 }, LogLevel::Warn, "/n", "hello");
        let mut json = Vec::new();
        layout.to_json(&line, Rules::default(), &Limits::VALUE, &mut json).unwrap();
        assert_eq!(
            String::from_utf8(json).unwrap(),
            r#"{"header":{"seq":7,"stamp":{"secs":1,"nsecs":2},"frame_id":""},"level":4,"name":"/n","msg":"hello","file":"","function":"","line":0,"topics":[]}"#
        );
    }
}
