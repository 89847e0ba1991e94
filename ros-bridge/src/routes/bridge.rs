//! All routes of a configuration, from start to stop.
use super::{
    Board, Context, Route, board, controls, diagnostics, events_in, events_out, patterns,
    services_in, services_out, session::Session, topics::TopicTask,
};
use crate::{
    config::{Config, glob},
    ros::{Backend, Event, LogLevel, MasterState},
};
use futures_util::StreamExt;
use posthouse::{Connection, Hub, Variable};
use std::{collections::BTreeSet, future::Future, sync::Arc, time::Duration};
use tokio::{sync::broadcast::error::RecvError, task::JoinSet};

/// A bridge at work. Dropped, it ends at once; [`Bridge::stop`] ends it in order.
pub struct Bridge {
    context: Context,
    status: Variable,
    source: String,
    tasks: JoinSet<()>,
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Bridge {
    /// Starts every route of a configuration whose names are full. Neither the master nor the hub's server
    /// has to be there yet.
    ///
    /// # Errors
    /// What cannot get better by itself: an unknown type, options that the hub refuses.
    pub fn start(ros: Arc<dyn Backend>, config: Config) -> Result<Self, String> {
        let hub = config.hub.builder().open().map_err(|error| format!("the hub: {error}"))?;
        let board = Arc::<Board>::default();
        let session = Arc::new(Session::new());
        let context = Context { ros, hub, board, session };
        let status = context.hub.var(&config.status_variable).map_err(|error| error.to_string())?;
        let mut bridge =
            Self { context, status, source: config.source.clone(), tasks: JoinSet::new() };
        bridge.routes(config)?;
        let Self { context, status, source, tasks } = &mut bridge;
        if let Some(topic) = diagnostics::advertise(context) {
            tasks.spawn(diagnostics::run(context.clone(), topic));
        }
        tasks.spawn(tell_of_the_hub(context.clone()));
        tasks.spawn(tell_of_the_master(context.clone()));
        tasks.spawn(board::report(context.clone(), status.clone(), source.clone()));
        Ok(bridge)
    }

    /// The hub.
    pub fn hub(&self) -> &Hub {
        &self.context.hub
    }

    /// Waits for the failure of a route that nobody foresaw; its text. Ends only then.
    pub async fn failed(&mut self) -> String {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(())) => {}
                Some(Err(error)) => return format!("a route failed: {error}"),
                None => std::future::pending().await,
            }
        }
    }

    /// Ends all routes, says so in the status variable, leaves the hub and ROS. Takes `limit` at most.
    pub async fn stop(mut self, limit: Duration) {
        self.tasks.shutdown().await;
        let Self { context, status, source, .. } = self;
        let last = board::status(&context, None, "stopped", &source);
        let leave = async {
            if context.hub.state().is_ok_and(|state| state == Connection::Connected) {
                // Whoever cannot be told is gone.
                let _ = status.set(&last);
                let _ = context.hub.drain(limit / 2).await;
            }
            let _ = context.hub.close().await;
        };
        let _ = tokio::join!(tokio::time::timeout(limit, leave), context.ros.close(limit));
    }

    fn spawn(
        &mut self,
        path: &str,
        title: String,
        task: impl FnOnce(Context, Arc<Route>) -> Result<BoxedTask, String>,
    ) -> Result<(), String> {
        let route = Arc::new(Route::new(path, title));
        let running = task(self.context.clone(), Arc::clone(&route))
            .map_err(|text| format!("{} ({path}): {text}", route.title))?;
        self.context.board.add(route);
        self.tasks.spawn(running);
        Ok(())
    }

    fn routes(&mut self, config: Config) -> Result<(), String> {
        let limits = config.hub.message_limits();
        let titles = titles(&config);
        let mut titles = titles.into_iter();
        let mut title = || titles.next().map(|(_, title)| title).unwrap_or_default();
        let own = Arc::new(own_topics(&config));
        for route in config.topics {
            let (path, route) = (route.common.path.clone(), Arc::new(route));
            let own = Arc::clone(&own);
            self.spawn(&path, title(), |context, counts| {
                if let Some(kind) = &route.kind {
                    context.ros.message_type(kind).map_err(|error| error.to_string())?;
                }
                if glob::wildcards(&route.topic) > 0 {
                    return Ok(Box::pin(patterns::run(context, route, own, counts)));
                }
                let variable = glob::fill(&route.variable, &route.topic, &[]);
                let task = TopicTask::new(&context, &route, counts, &route.topic, &variable)?;
                Ok(Box::pin(task.run()))
            })?;
        }
        for route in config.controls {
            self.spawn(&route.common.path.clone(), title(), |context, counts| {
                let topic = controls::advertise(&context, &route)?;
                Ok(Box::pin(controls::run(context, route, topic, counts)))
            })?;
        }
        for route in config.events_out {
            self.spawn(&route.common.path.clone(), title(), |context, counts| {
                if let Some(kind) = &route.kind {
                    context.ros.message_type(kind).map_err(|error| error.to_string())?;
                }
                Ok(Box::pin(events_out::run(context, route, counts, limits)))
            })?;
        }
        for route in config.events_in {
            self.spawn(&route.common.path.clone(), title(), |context, counts| {
                let topic = events_in::advertise(&context, &route)?;
                Ok(Box::pin(events_in::run(context, route, topic, counts)))
            })?;
        }
        for route in config.services_in {
            self.spawn(&route.common.path.clone(), title(), |context, counts| {
                if let Some(kind) = &route.kind {
                    context.ros.service_type(kind).map_err(|error| error.to_string())?;
                }
                Ok(Box::pin(services_in::run(context, route, counts, limits)))
            })?;
        }
        for route in config.services_out {
            self.spawn(&route.common.path.clone(), title(), |context, counts| {
                let server = services_out::serve(&context, &route)?;
                Ok(Box::pin(services_out::run(context, route, server, counts, limits)))
            })?;
        }
        Ok(())
    }
}

type BoxedTask = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// The routes in the order in which they start: each one's way in the file, and what it joins.
pub fn titles(config: &Config) -> Vec<(String, String)> {
    let mut titles = Vec::new();
    for t in &config.topics {
        let part = t.field.as_ref().map(|field| format!(".{field}")).unwrap_or_default();
        let variable = match glob::wildcards(&t.topic) {
            0 => glob::fill(&t.variable, &t.topic, &[]),
            _ => t.variable.clone(),
        };
        titles.push((&t.common, format!("{}{part} → variable {variable}", t.topic)));
    }
    for c in &config.controls {
        titles.push((&c.common, format!("variable {} → {}", c.variable, c.topic)));
    }
    for e in &config.events_out {
        titles.push((&e.common, format!("{} → events {}", e.topic, e.channel)));
    }
    for e in &config.events_in {
        titles.push((&e.common, format!("events {} → {}", e.channel, e.topic)));
    }
    for s in &config.services_in {
        titles.push((&s.common, format!("requests {} → service {}", s.channel, s.service)));
    }
    for s in &config.services_out {
        titles.push((&s.common, format!("service {} → requests {}", s.service, s.channel)));
    }
    titles.into_iter().map(|(common, title)| (common.path.clone(), title)).collect()
}

/// The topics that the bridge writes itself: a pattern never means them.
pub fn own_topics(config: &Config) -> BTreeSet<String> {
    let controls = config.controls.iter().map(|route| route.topic.clone());
    let events = config.events_in.iter().map(|route| route.topic.clone());
    let always = [diagnostics::TOPIC, "/rosout", "/rosout_agg"].map(str::to_owned);
    controls.chain(events).chain(always).collect()
}

/// Logs when the hub's connection comes and goes, and has a new session told.
async fn tell_of_the_hub(context: Context) {
    let mut watch = context.hub.watch();
    let mut told = None;
    while let Some(status) = watch.next().await {
        let connected = status.connection == Connection::Connected;
        let now = (connected, status.reconnects);
        // Before the first attempt has failed there is nothing to be told.
        let silent = !connected && status.current_error.is_none();
        if silent || told == Some(now) {
            continue;
        }
        told = Some(now);
        let (level, text) = if connected {
            // It also renews the session.
            let session = context.session.of(&context.hub).unwrap_or_default();
            let server = status.server.as_deref().unwrap_or("its server");
            (LogLevel::Info, format!("the hub is connected to {server}; control session {session}"))
        } else {
            let why = status.current_error.as_ref().map_or("", |problem| &problem.message);
            (LogLevel::Warn, format!("the hub is not connected: {why}"))
        };
        context.ros.log(level, &text);
        context.board.tell();
    }
}

/// Logs when the master goes and comes.
async fn tell_of_the_master(context: Context) {
    let mut events = context.ros.events();
    // What happened before there was somebody to be told.
    let mut found = context.ros.master() == MasterState::Found;
    if found {
        context.ros.log(LogLevel::Info, "the ROS master answers");
    }
    loop {
        let (level, text) = match events.recv().await {
            Ok(Event::MasterFound { again: false }) if found => continue,
            Ok(Event::MasterFound { again: false }) => (LogLevel::Info, "the ROS master answers"),
            Ok(Event::MasterFound { again: true }) => {
                (LogLevel::Info, "the ROS master answers again; everything is registered anew")
            }
            Ok(Event::MasterLost) => (LogLevel::Warn, "the ROS master does not answer"),
            // The program's business.
            Ok(Event::Shutdown(_)) | Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        found = true;
        context.ros.log(level, text);
        context.board.tell();
    }
}
