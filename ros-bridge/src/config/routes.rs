//! The routes of a configuration, with the defaults filled in.
use super::{
    glob,
    problem::Problem,
    view::View,
    yaml::{Data, Node},
};
use crate::ros::codec::{Bytes, Floats, Integers, Rules};
use posthouse::Headers;
use std::time::Duration;

/// What every route has.
#[derive(Clone, Debug)]
pub struct Common {
    /// Its line in the file.
    pub line: Option<usize>,
    /// Its way in the file, as in `topics[0]`.
    pub path: String,
    /// How messages become JSON and back.
    pub rules: Rules,
    /// The largest ROS message.
    pub max_bytes: usize,
}

/// A topic, or a pattern of topics, that becomes variables.
#[derive(Clone, Debug)]
pub struct TopicRoute {
    /// What every route has.
    pub common: Common,
    /// The topic or pattern, unresolved.
    pub topic: String,
    /// Patterns of topics that are not meant, unresolved.
    pub exclude: Vec<String>,
    /// The type, if it was given.
    pub kind: Option<String>,
    /// The variable, with places to fill in.
    pub variable: String,
    /// The part of the message that is meant.
    pub field: Option<String>,
    /// The least time between two values.
    pub interval: Option<Duration>,
}

/// A variable that commands a topic.
#[derive(Clone, Debug)]
pub struct Control {
    /// What every route has.
    pub common: Common,
    /// The variable.
    pub variable: String,
    /// The topic, unresolved.
    pub topic: String,
    /// The type.
    pub kind: String,
    /// Whether ROS keeps the last message.
    pub latch: bool,
    /// Whether a bare message is taken, also one that was there before.
    pub apply_existing: bool,
}

/// Messages of a topic that become events.
#[derive(Clone, Debug)]
pub struct EventOut {
    /// What every route has.
    pub common: Common,
    /// The topic, unresolved.
    pub topic: String,
    /// The channel.
    pub channel: String,
    /// The type, if it was given.
    pub kind: Option<String>,
    /// Headers of every event.
    pub headers: Headers,
    /// How many messages may wait.
    pub queue_size: usize,
}

/// Events that become messages of a topic.
#[derive(Clone, Debug)]
pub struct EventIn {
    /// What every route has.
    pub common: Common,
    /// The channel or pattern.
    pub channel: String,
    /// The queue group.
    pub queue: Option<String>,
    /// The topic, unresolved.
    pub topic: String,
    /// The type.
    pub kind: String,
    /// Whether ROS keeps the last message.
    pub latch: bool,
    /// How many events may wait.
    pub queue_size: usize,
}

/// A ROS service that programs on the hub call.
#[derive(Clone, Debug)]
pub struct ServiceIn {
    /// What every route has.
    pub common: Common,
    /// The channel.
    pub channel: String,
    /// The queue group.
    pub queue: Option<String>,
    /// The service, unresolved.
    pub service: String,
    /// The type, if it was given.
    pub kind: Option<String>,
    /// How long the service has.
    pub timeout: Duration,
    /// How many calls may run at once.
    pub concurrency: usize,
}

/// A handler on the hub that ROS programs call as a service.
#[derive(Clone, Debug)]
pub struct ServiceOut {
    /// What every route has.
    pub common: Common,
    /// The service, unresolved.
    pub service: String,
    /// The channel.
    pub channel: String,
    /// The type.
    pub kind: String,
    /// How long the handler has.
    pub timeout: Duration,
    /// How many calls may run at once.
    pub concurrency: usize,
}

impl Common {
    /// Takes each rule from the route, else from `defaults`, else from the table.
    pub(super) fn read(view: View<'_>, defaults: Option<View<'_>>, path: String) -> Self {
        let from = |name: &str| match defaults {
            Some(defaults) if view.node(name).is_none() => defaults,
            _ => view,
        };
        let word = |name: &str| from(name).some_text(name);
        let rules = Rules {
            bytes: if word("bytes") == "numbers" { Bytes::Numbers } else { Bytes::Base64 },
            floats: match word("non_finite").as_str() {
                "strings" => Floats::Strings,
                "skip" => Floats::Refuse,
                _ => Floats::Null,
            },
            integers: if word("int64") == "string" { Integers::Strings } else { Integers::Numbers },
        };
        let max_bytes = from("max_bytes").whole("max_bytes");
        Self { line: view.line(), path, rules, max_bytes }
    }
}

/// A route that is being read.
pub(super) struct Reading<'a, 'p> {
    pub view: View<'a>,
    pub common: Common,
    pub problems: &'p mut Vec<Problem>,
}

impl Reading<'_, '_> {
    fn fault(&mut self, name: &str, text: impl Into<String>) {
        let line = self.view.node(name).and_then(|node| node.line).or(self.common.line);
        self.problems.push(Problem::new(line, format!("{}.{name}", self.common.path), text));
    }

    /// The type, where a direction cannot do without.
    fn needed_type(&mut self, why: &str) -> Option<String> {
        let kind = self.view.text("type").map(str::to_owned);
        if kind.is_none() {
            let text = format!("is missing; {why}, so it has to be said here, as package/Name");
            self.fault("type", text);
        }
        kind
    }

    pub fn topic(mut self) -> Option<TopicRoute> {
        let view = self.view;
        let (topic, variable) = (view.some_text("topic"), view.some_text("variable"));
        let exclude = view.texts("exclude");
        let wildcards = glob::wildcards(&topic);
        if wildcards == 0 && !exclude.is_empty() {
            self.fault(
                "exclude",
                "is given, but the topic has no wildcards: nothing can be left out",
            );
            return None;
        }
        for n in 1..=9 {
            if variable.contains(&format!("{{{n}}}")) && n > wildcards {
                let text = format!("has {{{n}}} in it, but the topic has {wildcards} wildcards");
                self.fault("variable", text);
                return None;
            }
        }
        if wildcards > 0 && !variable.contains('{') {
            self.fault(
                "variable",
                "is the same for every topic of the pattern; put {topic} or {1} into it",
            );
            return None;
        }
        Some(TopicRoute {
            topic,
            exclude,
            variable,
            kind: view.text("type").map(str::to_owned),
            field: view.text("field").map(str::to_owned),
            interval: view.number("max_hz").map(|hz| Duration::from_secs_f64(1.0 / hz)),
            common: self.common,
        })
    }

    pub fn control(self) -> Control {
        let view = self.view;
        Control {
            variable: view.some_text("variable"),
            topic: view.some_text("topic"),
            kind: view.some_text("type"),
            latch: view.flag("latch"),
            apply_existing: view.flag("apply_existing"),
            common: self.common,
        }
    }

    pub fn event_out(mut self) -> Option<EventOut> {
        let view = self.view;
        let channel = view.some_text("channel");
        if let Err(error) = posthouse_core::name::check_topic(&channel) {
            self.fault("channel", error.message());
            return None;
        }
        Some(EventOut {
            topic: view.some_text("topic"),
            channel,
            kind: view.text("type").map(str::to_owned),
            headers: view.node("headers").map(headers).unwrap_or_default(),
            queue_size: view.whole("queue_size"),
            common: self.common,
        })
    }

    pub fn event_in(mut self) -> Option<EventIn> {
        let kind = self.needed_type("the bridge publishes this topic itself")?;
        let view = self.view;
        Some(EventIn {
            channel: view.some_text("channel"),
            queue: view.text("queue").map(str::to_owned),
            topic: view.some_text("topic"),
            kind,
            latch: view.flag("latch"),
            queue_size: view.whole("queue_size"),
            common: self.common,
        })
    }

    pub fn service_in(self) -> ServiceIn {
        let view = self.view;
        ServiceIn {
            channel: view.some_text("channel"),
            queue: view.text("queue").map(str::to_owned),
            service: view.some_text("service"),
            kind: view.text("type").map(str::to_owned),
            timeout: view.duration("timeout"),
            concurrency: view.whole("concurrency"),
            common: self.common,
        }
    }

    pub fn service_out(mut self) -> Option<ServiceOut> {
        let kind = self.needed_type("the bridge offers this service itself")?;
        let view = self.view;
        Some(ServiceOut {
            service: view.some_text("service"),
            channel: view.some_text("channel"),
            kind,
            timeout: view.duration("timeout"),
            concurrency: view.whole("concurrency"),
            common: self.common,
        })
    }
}

/// Headers that were checked already.
fn headers(node: &Node) -> Headers {
    let mut headers = Headers::new();
    let Data::Map(pairs) = &node.data else { return headers };
    for (key, value) in pairs {
        let values = match &value.data {
            Data::List(items) => items.iter().map(AsRef::as_ref).collect(),
            _ => vec![value.as_ref()],
        };
        for value in values {
            if let Data::Scalar { text, .. } = &value.data {
                // `check` has refused what cannot be one.
                let _ = headers.append(&key.text, text);
            }
        }
    }
    headers
}
