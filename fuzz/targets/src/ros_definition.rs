//! Definitions of ROS types: any text is read or refused within bounds; what is read says the same when its text is read
//! again; a type that came whole is sent on as it came, and its layout takes any bytes.
use crate::input::Input;
use posthouse_core::json::Limits;
use posthouse_ros_bridge::ros::{
    Layout,
    codec::Rules,
    message::{MAX_MEMBERS, MAX_TYPES, Schema, parse_message, parse_service},
};

const LIMITS: Limits = Limits { depth: 63, nodes: 2000, bytes: 100_000 };

/// First byte: what the rest is. `m`essage, `s`ervice, `w`hole definition, after a byte that says how many of the
/// last bytes are a message of it.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let kind = input.byte();
    match kind {
        b's' => {
            let text = String::from_utf8_lossy(input.0);
            if let Ok((request, response)) = parse_service("p/S", &text, "S.srv") {
                for part in [request, response] {
                    assert_eq!(parse_message(&part.name, &part.text, "").unwrap(), part);
                }
            }
        }
        b'w' => {
            let tail = usize::from(input.byte()).min(input.0.len());
            let (text, body) = input.0.split_at(input.0.len() - tail);
            whole(&String::from_utf8_lossy(text), body);
        }
        _ => {
            let text = String::from_utf8_lossy(input.0);
            match parse_message("p/M", &text, "M.msg") {
                Ok(read) => {
                    assert!(read.fields.len() + read.constants.len() <= MAX_MEMBERS);
                    assert_eq!(parse_message("p/M", &read.text, "M.msg").unwrap(), read);
                }
                Err(error) => {
                    assert!(error.message.starts_with("M.msg"), "{error}");
                    assert!(error.message.len() < 1000, "{error}");
                }
            }
        }
    }
}

fn whole(text: &str, body: &[u8]) {
    let Ok(schema) = Schema::from_full_text("p/A", text) else { return };
    assert!(schema.types().len() <= MAX_TYPES);
    let again = Schema::from_full_text("p/A", &schema.full_text()).unwrap();
    assert_eq!(again.md5(), schema.md5());
    assert_eq!(again.full_text(), schema.full_text());
    let layout = Layout::new(&schema).unwrap();
    let mut json = Vec::new();
    let decoded = layout.to_json(body, Rules::default(), &LIMITS, &mut json);
    assert!(json.len() <= LIMITS.bytes && decoded.is_ok() != json.is_empty());
}
