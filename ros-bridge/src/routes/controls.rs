//! A variable that commands a topic: each version of its value once, and only under the session that
//! holds now.
use super::{Context, Count, Route, counts::of_refusal};
use crate::{
    config::Control,
    ros::{Advertise, Publish},
};
use futures_util::StreamExt;
use posthouse::{Change, Version};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// A command under the guard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    session: String,
    value: Box<RawValue>,
}

/// Offers the topic, so that it is known before the first command.
pub(super) fn advertise(context: &Context, config: &Control) -> Result<Arc<dyn Publish>, String> {
    let wanted = Advertise {
        latch: config.latch,
        // Commands are about now: a slow subscriber gets the newest ones.
        queue: 16,
        ..Advertise::new(&config.topic, &config.kind)
    };
    context.ros.advertise(wanted).map_err(|error| error.to_string())
}

/// Runs until the hub is closed.
pub(super) async fn run(
    context: Context,
    config: Control,
    topic: Arc<dyn Publish>,
    route: Arc<Route>,
) {
    let watch = context.hub.var(&config.variable).and_then(|variable| variable.watch());
    let mut watch = match watch {
        Ok(watch) => watch,
        Err(error) => return context.trouble(&route, &error.to_string()),
    };
    let mut task = Task { context, config, topic, route, done: None };
    while let Some(change) = watch.next().await {
        task.changed(&change);
    }
}

struct Task {
    context: Context,
    config: Control,
    topic: Arc<dyn Publish>,
    route: Arc<Route>,
    /// The version that was looked at last.
    done: Option<Version>,
}

impl Task {
    fn changed(&mut self, change: &Change) {
        // A watch fires on what is known of a variable, too; a command is a new version of its value.
        if change.meta.exists != Some(true) || change.meta.version == self.done {
            return;
        }
        self.done.clone_from(&change.meta.version);
        self.route.add(Count::Received);
        let message = match self.message(change) {
            Ok(message) => message,
            Err(why) => return self.context.fault(&self.route, Count::Rejected, &why),
        };
        let mut body = Vec::new();
        if let Err(refusal) = self.topic.layout().from_json(
            message.get().as_bytes(),
            self.config.common.rules,
            &mut body,
        ) {
            let text = format!("the message does not fit {}: {refusal}", self.config.kind);
            return self.context.fault(&self.route, of_refusal(&refusal), &text);
        }
        if body.len() > self.config.common.max_bytes {
            let most = self.config.common.max_bytes;
            let text = format!("the message has {} bytes; max_bytes allows {most}", body.len());
            return self.context.fault(&self.route, Count::TooLarge, &text);
        }
        match self.topic.publish(body) {
            Ok(()) => self.route.add(Count::Passed),
            Err(error) => self.context.fault(&self.route, Count::Failed, &error.to_string()),
        }
    }

    /// The message of a command, if it may move the robot.
    fn message(&self, change: &Change) -> Result<Box<RawValue>, String> {
        if self.config.apply_existing {
            let message = change.value_as().map_err(|error| error.to_string())?;
            return message.ok_or_else(|| "there is no value".to_owned());
        }
        let form = "the value has to be {\"session\": …, \"value\": …}";
        let command: Command = change
            .value_as()
            .map_err(|error| format!("{form}: {}", error.message()))?
            .ok_or_else(|| form.to_owned())?;
        match self.context.session.of(&self.context.hub) {
            Some(session) if session == command.session => Ok(command.value),
            Some(_) => Err("the command is of another session: read control_session from the status variable again".to_owned()),
            None => Err("the hub is not connected, so no session holds".to_owned()),
        }
    }
}
