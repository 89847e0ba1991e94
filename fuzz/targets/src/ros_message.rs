//! Messages of ROS and their JSON: what is decoded is JSON within the limits that encodes again and decodes to the
//! same text; every field selected alone is what it is in the whole; any JSON text is taken or refused.
use crate::input::Input;
use posthouse_core::json::{Limits, validate};
use posthouse_ros_bridge::ros::{
    Layout,
    codec::{Bytes, Floats, Integers, Rules},
    message::Schema,
};
use std::sync::OnceLock;

const LIMITS: Limits = Limits { depth: 32, nodes: 3000, bytes: 100_000 };

const SCALARS: &str = "bool a\nint8 b\nuint8 c\nint16 d\nuint16 e\nint32 f\nuint32 g\nint64 h\nuint64 i\nfloat32 j\n\
                       float64 k\nstring l\ntime m\nduration n\n";

fn layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        let split = "=".repeat(80);
        let arrays: String = SCALARS
            .lines()
            .flat_map(|line| {
                let (kind, name) = line.split_once(' ').unwrap();
                [format!("{kind}[] {name}\n"), format!("{kind}[2] {name}{name}\n")]
            })
            .collect();
        let parts =
            format!("{split}\nMSG: p/S\n{SCALARS}{split}\nMSG: p/R\n{arrays}{split}\nMSG: p/E\n");
        [
            SCALARS.to_owned(),
            arrays.clone(),
            format!("E e\nE[] es\nS s\nR[] r\nE[3] three\nS[2] two\nstring last\n{parts}"),
            "float32[] ranges\nstring[] words\nuint8[] data\n".to_owned(),
            String::new(),
        ]
        .iter()
        .map(|text| Layout::new(&Schema::from_full_text("p/A", text).unwrap()).unwrap())
        .collect()
    })
}

/// First byte: the type. Second: the rules, and whether the rest is a message or a JSON text.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let layout = &layouts()[input.below(layouts().len())];
    let choice = input.byte();
    let rules = Rules {
        bytes: if choice & 1 == 0 { Bytes::Base64 } else { Bytes::Numbers },
        floats: [Floats::Null, Floats::Strings, Floats::Refuse, Floats::Null]
            [usize::from(choice >> 1 & 3)],
        integers: if choice & 8 == 0 { Integers::Numbers } else { Integers::Strings },
    };
    if choice & 16 == 0 {
        message(layout, input.0, rules);
    } else {
        let mut body = Vec::new();
        match layout.from_json(input.0, rules, &mut body) {
            Ok(()) => message(layout, &body, rules),
            Err(refusal) => assert!(body.is_empty() && !refusal.what.is_empty()),
        }
    }
}

fn message(layout: &Layout, body: &[u8], rules: Rules) {
    let mut json = Vec::new();
    let Ok(decoded) = layout.to_json(body, rules, &LIMITS, &mut json) else {
        assert!(json.is_empty());
        return;
    };
    validate(&json, &LIMITS).expect("what is written is JSON within the limits");
    let mut again = Vec::new();
    layout.from_json(&json, rules, &mut again).expect("what was decoded encodes");
    if decoded.texts == 0 {
        assert_eq!(again.len(), body.len());
    }
    let mut second = Vec::new();
    layout.to_json(&again, rules, &LIMITS, &mut second).expect("what was encoded decodes");
    assert_eq!(second, json);
    let whole: serde_json::Value = serde_json::from_slice(&json).unwrap();
    for (name, value) in whole.as_object().unwrap() {
        let selection = layout.select(name).unwrap();
        let mut part = Vec::new();
        layout.part_to_json(&selection, body, rules, &LIMITS, &mut part).unwrap();
        assert_eq!(&serde_json::from_slice::<serde_json::Value>(&part).unwrap(), value, "{name}");
    }
}
