//! A configuration from the private parameters of the node, as `<rosparam>` sets them.
use super::yaml::{Data, Key, Node};
use serde_json::Value;
use std::rc::Rc;

/// Makes a tree of a parameter's value. It has no lines.
pub fn tree(value: &Value) -> Node {
    let plain = |text: String| Data::Scalar { text, plain: true };
    let data = match value {
        Value::Null => plain(String::new()),
        Value::Bool(flag) => plain(flag.to_string()),
        Value::Number(number) => plain(number.to_string()),
        // The parameter server has types of its own: a text is one, whatever it looks like.
        Value::String(text) => Data::Scalar { text: text.clone(), plain: false },
        Value::Array(items) => Data::List(items.iter().map(|item| Rc::new(tree(item))).collect()),
        Value::Object(members) => {
            let pair = |(key, value): (&String, &Value)| {
                (Key { text: key.clone(), line: None }, Rc::new(tree(value)))
            };
            Data::Map(members.iter().map(pair).collect())
        }
    };
    Node { line: None, data }
}

/// The keys of the file among the private parameters; `config` and others are not its.
pub fn sections(parameters: &Value) -> Option<Value> {
    let members = parameters.as_object()?;
    let known = |name: &String| super::tables::FILE.field(name).is_some();
    let sections: serde_json::Map<String, Value> = members
        .iter()
        .filter(|(name, _)| known(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!sections.is_empty()).then_some(Value::Object(sections))
}
