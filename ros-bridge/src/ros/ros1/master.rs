//! What is asked of the master.
use super::xmlrpc::{self, Peer, Value};
use crate::ros::{Code, Error, Result, Topic};
use std::{collections::BTreeMap, time::Duration};

/// How long the master may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The master, as the node `caller` asks it.
#[derive(Clone, Debug)]
pub(super) struct Master {
    peer: Peer,
    caller: String,
}

/// Calls a method of the master or of a node and takes the triple apart that all of them answer with.
pub(super) async fn ask(
    peer: &Peer,
    method: &str,
    params: &[Value],
    limit: Duration,
) -> Result<Value> {
    match xmlrpc::call(peer, method, params, limit).await? {
        Value::Array(triple) => {
            let mut triple = triple.into_iter();
            match (triple.next(), triple.next(), triple.next()) {
                (Some(Value::Int(1)), Some(_), Some(value)) => Ok(value),
                (Some(Value::Int(_)), Some(Value::Text(what)), _) => {
                    Err(Error::new(Code::CallRefused, format!("{method} at {peer}: {what}")))
                }
                _ => Err(strange(peer, method)),
            }
        }
        _ => Err(strange(peer, method)),
    }
}

fn strange(peer: &Peer, method: &str) -> Error {
    Error::new(
        Code::ProtocolViolation,
        format!("the answer of {peer} to {method} is not what ROS says"),
    )
}

impl Master {
    pub(super) const fn new(peer: Peer, caller: String) -> Self {
        Self { peer, caller }
    }

    async fn ask(&self, method: &str, params: &[&str]) -> Result<Value> {
        let params: Vec<Value> = params.iter().map(|text| Value::from(*text)).collect();
        self.ask_with(method, params).await
    }

    async fn ask_with(&self, method: &str, params: Vec<Value>) -> Result<Value> {
        let mut all = vec![Value::from(self.caller.as_str())];
        all.extend(params);
        ask(&self.peer, method, &all, PATIENCE).await.map_err(|error| match error.code {
            Code::NodeUnreachable => Error::new(
                Code::MasterUnreachable,
                format!(
                    "the ROS master does not answer ({}): start roscore or set ROS_MASTER_URI",
                    error.message
                ),
            ),
            _ => error,
        })
    }

    fn strange(&self, method: &str) -> Error {
        strange(&self.peer, method)
    }

    /// The address that the master knows for a node.
    pub(super) async fn node(&self, name: &str) -> Result<Option<String>> {
        optional(self.ask("lookupNode", &[name]).await)
            .map(|value| value.and_then(|value| value.as_text().map(ToOwned::to_owned)))
    }

    /// Gives the addresses of the publishers.
    pub(super) async fn register_subscriber(
        &self,
        topic: &str,
        kind: &str,
        uri: &str,
    ) -> Result<Vec<String>> {
        let value = self.ask("registerSubscriber", &[topic, kind, uri]).await?;
        texts(&value).ok_or_else(|| self.strange("registerSubscriber"))
    }

    pub(super) async fn unregister_subscriber(&self, topic: &str, uri: &str) -> Result<()> {
        self.ask("unregisterSubscriber", &[topic, uri]).await.map(drop)
    }

    pub(super) async fn register_publisher(
        &self,
        topic: &str,
        kind: &str,
        uri: &str,
    ) -> Result<()> {
        self.ask("registerPublisher", &[topic, kind, uri]).await.map(drop)
    }

    pub(super) async fn unregister_publisher(&self, topic: &str, uri: &str) -> Result<()> {
        self.ask("unregisterPublisher", &[topic, uri]).await.map(drop)
    }

    pub(super) async fn register_service(
        &self,
        service: &str,
        address: &str,
        uri: &str,
    ) -> Result<()> {
        self.ask("registerService", &[service, address, uri]).await.map(drop)
    }

    pub(super) async fn unregister_service(&self, service: &str, address: &str) -> Result<()> {
        self.ask("unregisterService", &[service, address]).await.map(drop)
    }

    /// Where a service is offered.
    pub(super) async fn service(&self, service: &str) -> Result<Peer> {
        let found = optional(self.ask("lookupService", &[service]).await)?;
        let Some(value) = found else {
            return Err(Error::new(
                Code::ServiceUnknown,
                format!("nobody offers the service {service}"),
            ));
        };
        value
            .as_text()
            .and_then(|uri| Peer::parse("rosrpc", uri))
            .ok_or_else(|| self.strange("lookupService"))
    }

    pub(super) async fn param(&self, name: &str) -> Result<Option<Value>> {
        optional(self.ask("getParam", &[name]).await)
    }

    pub(super) async fn set_param(&self, name: &str, value: Value) -> Result<()> {
        self.ask_with("setParam", vec![name.into(), value]).await.map(drop)
    }

    /// All topics, with types where they are known, and all services.
    pub(super) async fn graph(&self) -> Result<(Vec<Topic>, Vec<String>)> {
        let types = self.ask("getTopicTypes", &[]).await?;
        let state = self.ask("getSystemState", &[]).await?;
        let mut topics: BTreeMap<String, Topic> = BTreeMap::new();
        let parts = state.as_array().filter(|parts| parts.len() == 3);
        let Some([publishers, subscribers, services]) = parts else {
            return Err(self.strange("getSystemState"));
        };
        for (part, publishing) in [(publishers, true), (subscribers, false)] {
            for (name, nodes) in entries(part).ok_or_else(|| self.strange("getSystemState"))? {
                let topic = topics.entry(name.clone()).or_insert_with(|| Topic {
                    name,
                    kind: String::new(),
                    publishers: Vec::new(),
                    subscribers: Vec::new(),
                });
                *if publishing { &mut topic.publishers } else { &mut topic.subscribers } = nodes;
            }
        }
        for pair in types.as_array().unwrap_or_default() {
            let Some([Value::Text(name), Value::Text(kind)]) = pair.as_array() else { continue };
            if let (Some(topic), false) = (topics.get_mut(name), kind == "*") {
                topic.kind.clone_from(kind);
            }
        }
        let services = entries(services).ok_or_else(|| self.strange("getSystemState"))?;
        let mut services: Vec<_> = services.into_iter().map(|(name, _)| name).collect();
        services.sort();
        Ok((topics.into_values().collect(), services))
    }
}

/// A refusal means that there is no such thing.
fn optional(answer: Result<Value>) -> Result<Option<Value>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code == Code::CallRefused => Ok(None),
        Err(error) => Err(error),
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_text().map(ToOwned::to_owned)).collect()
}

/// `[[name, [node…]]…]`
fn entries(value: &Value) -> Option<Vec<(String, Vec<String>)>> {
    let entry = |entry: &Value| match entry.as_array()? {
        [Value::Text(name), nodes] => Some((name.clone(), texts(nodes)?)),
        _ => None,
    };
    value.as_array()?.iter().map(entry).collect()
}
