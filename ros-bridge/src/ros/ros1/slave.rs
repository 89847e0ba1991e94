//! What the master and other nodes may ask of this one.
use super::{
    node::Core,
    xmlrpc::{Methods, Value},
};
use crate::ros::Event;
use std::sync::Arc;

/// The answers.
pub(super) struct Slave(pub(super) Arc<Core>);

fn triple(code: i32, what: &str, value: impl Into<Value>) -> Value {
    Value::Array(vec![Value::Int(code), what.into(), value.into()])
}

fn good(value: impl Into<Value>) -> Value {
    triple(1, "", value)
}

/// The parameters as texts, where all are.
fn texts(params: &[Value]) -> Option<Vec<&str>> {
    params.iter().map(Value::as_text).collect()
}

impl Methods for Slave {
    async fn call(&self, method: &str, params: &[Value]) -> Result<Value, String> {
        let core = &self.0;
        let wrong = || triple(-1, &format!("wrong parameters for {method}"), 0);
        Ok(match method {
            "getPid" => good(std::process::id().cast_signed()),
            "getMasterUri" => good(core.master_uri.as_str()),
            "getBusStats" => good(Value::Array(vec![
                Value::Array(Vec::new()),
                Value::Array(Vec::new()),
                Value::Array(Vec::new()),
            ])),
            "getBusInfo" => good(self.bus()),
            "getSubscriptions" | "getPublications" => {
                good(self.topics(method == "getSubscriptions"))
            }
            "shutdown" => {
                let reason = params.get(1).and_then(Value::as_text).unwrap_or_default();
                let reason: String = reason.chars().take(500).collect();
                core.registry.evict();
                core.tell(Event::Shutdown(reason));
                good(0)
            }
            "paramUpdate" => match params {
                [_, Value::Text(name), value] => {
                    core.clock.param(name, value);
                    good(0)
                }
                _ => wrong(),
            },
            "publisherUpdate" => match params {
                [_, Value::Text(topic), publishers] => {
                    let uris = publishers.as_array().and_then(texts);
                    match (uris, core.registry.input(topic)) {
                        (None, _) => wrong(),
                        (Some(uris), Some(input)) => {
                            let uris: Vec<_> = uris.into_iter().map(ToOwned::to_owned).collect();
                            input.update(core, &uris);
                            good(0)
                        }
                        (Some(_), None) => triple(1, "not subscribed", 0),
                    }
                }
                _ => wrong(),
            },
            "requestTopic" => match params {
                [_, Value::Text(topic), protocols] => self.request(topic, protocols),
                _ => wrong(),
            },
            _ => return Err(format!("there is no method {method:.60}")),
        })
    }
}

impl Slave {
    fn request(&self, topic: &str, protocols: &Value) -> Value {
        let core = &self.0;
        let none = || Value::Array(Vec::new());
        if core.registry.output(topic).is_none() {
            return triple(0, &format!("{topic} is not published here"), none());
        }
        let speaks = |protocol: &Value| {
            protocol.as_array().and_then(<[_]>::first).and_then(Value::as_text) == Some("TCPROS")
        };
        if !protocols.as_array().unwrap_or_default().iter().any(speaks) {
            return triple(0, "TCPROS only", none());
        }
        let port = i32::from(core.port);
        good(Value::Array(vec!["TCPROS".into(), core.host.as_str().into(), port.into()]))
    }

    fn topics(&self, subscribed: bool) -> Value {
        let tables = self.0.registry.tables();
        let pair = |topic: &String, kind: String| -> Value {
            [Value::from(topic.as_str()), Value::from(kind)].into_iter().collect()
        };
        if subscribed {
            tables.inputs.iter().map(|(topic, entry)| pair(topic, entry.what.kind())).collect()
        } else {
            tables
                .outputs
                .iter()
                .map(|(topic, entry)| pair(topic, entry.what.layout().name().to_owned()))
                .collect()
        }
    }

    /// Who is connected, for `rosnode info`.
    fn bus(&self) -> Value {
        let tables = self.0.registry.tables();
        let mut lines = Vec::new();
        let mut add = |peer: String, direction: &str, topic: &str| {
            let number = i32::try_from(lines.len()).unwrap_or_default();
            lines.push(Value::Array(vec![
                number.into(),
                peer.into(),
                direction.into(),
                "TCPROS".into(),
                topic.into(),
                Value::Bool(true),
            ]));
        };
        for (topic, entry) in &tables.outputs {
            for node in entry.what.nodes() {
                add(node, "o", topic);
            }
        }
        for (topic, entry) in &tables.inputs {
            for uri in entry.what.peers() {
                add(uri, "i", topic);
            }
        }
        Value::Array(lines)
    }
}
