//! The bridge on `/diagnostics`, as ROS tools expect it: one status for the hub, one for each route.
use super::{Context, Route, board::master};
use crate::ros::{Advertise, LogLevel, MasterState, Publish, codec::Rules};
use posthouse::Connection;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// The topic.
pub const TOPIC: &str = "/diagnostics";
const KIND: &str = "diagnostic_msgs/DiagnosticArray";
/// As often as diagnostic aggregators expect.
const EVERY: Duration = Duration::from_secs(1);
/// How many routes are told of.
const MOST: usize = 100;

const OK: u8 = 0;
const WARN: u8 = 1;
const ERROR: u8 = 2;

/// Offers the topic; none where the definitions are not installed.
pub(super) fn advertise(context: &Context) -> Option<Arc<dyn Publish>> {
    let made = context.ros.advertise(Advertise { queue: 4, ..Advertise::new(TOPIC, KIND) });
    match made {
        Ok(topic) => Some(topic),
        Err(error) => {
            context.ros.log(LogLevel::Warn, &format!("nothing is published on {TOPIC}: {error}"));
            None
        }
    }
}

/// Publishes until it is aborted.
pub(super) async fn run(context: Context, topic: Arc<dyn Publish>) {
    let mut every = tokio::time::interval(EVERY);
    loop {
        every.tick().await;
        let text = array(&context).to_string();
        let mut body = Vec::new();
        let done = topic
            .layout()
            .from_json(text.as_bytes(), Rules::default(), &mut body)
            .map_err(|refusal| refusal.to_string())
            .and_then(|()| topic.publish(body).map_err(|error| error.to_string()));
        if let Err(why) = done {
            return context.ros.log(LogLevel::Warn, &format!("{TOPIC} ends: {why}"));
        }
    }
}

fn array(context: &Context) -> Value {
    let now = context.ros.now();
    let mut list = vec![link(context)];
    list.extend(context.board.routes().iter().take(MOST).map(|route| of_route(context, route)));
    json!({
        "header": {"seq": 0, "stamp": {"secs": now.secs, "nsecs": now.nsecs}, "frame_id": ""},
        "status": list,
    })
}

fn link(context: &Context) -> Value {
    let hub = context.hub.status().ok();
    let connection = hub.as_ref().map_or(Connection::Closed, |status| status.connection);
    let (level, message) = match connection {
        Connection::Connected if context.ros.master() == MasterState::Found => {
            (OK, "connected".to_owned())
        }
        Connection::Connected => (WARN, "the ROS master does not answer".to_owned()),
        Connection::Error | Connection::Closed => (ERROR, "the hub's server refuses".to_owned()),
        _ => (WARN, "the hub is not connected".to_owned()),
    };
    let message = match hub.as_ref().and_then(|status| status.current_error.as_ref()) {
        Some(problem) if level != OK => format!("{message}: {}", problem.message),
        _ => message,
    };
    let reconnects = hub.map_or(0, |status| status.reconnects);
    let values = [
        ("namespace", context.hub.namespace().to_owned()),
        ("reconnects", reconnects.to_string()),
        ("master", master(context.ros.master()).to_owned()),
    ];
    one(context, level, "hub", &message, &values)
}

fn of_route(context: &Context, route: &Route) -> Value {
    let faulty = route.has_new_faults();
    let report = route.report();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values: Vec<(&str, String)> = report
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), text(value)))
        .collect();
    let message = report.get("last_error").filter(|_| faulty).map_or_else(|| "ok".to_owned(), text);
    one(context, if faulty { WARN } else { OK }, &route.path, &message, &values)
}

fn one(
    context: &Context,
    level: u8,
    name: &str,
    message: &str,
    values: &[(&str, String)],
) -> Value {
    let values: Vec<Value> =
        values.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
    let node = context.ros.node_name().trim_start_matches('/');
    json!({
        "level": level,
        "name": format!("{node}: {name}"),
        "message": message,
        "hardware_id": "",
        "values": values,
    })
}
