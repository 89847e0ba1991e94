//! `--check`: what a file says, and how it compares with the definitions on disk and the graph of a running
//! master.
use crate::{
    config::{Common, Config, TopicRoute, glob},
    ros::{
        Backend, Layout, Topic,
        message::Library,
        ros1::{Names, Node, Settings},
    },
    routes::{meant, own_topics, titles},
};
use std::{
    collections::HashMap, fmt::Write as _, path::Path, process::ExitCode, sync::Arc, time::Duration,
};

/// How long the master has to answer.
const LIMIT: Duration = Duration::from_secs(3);

/// Checks a file and prints what it found. Ends with 1 if something is wrong.
pub async fn check(file: &Path, settings: Settings) -> Result<ExitCode, String> {
    let names = settings.names.clone();
    let resolve = |name: &str| names.resolve(name).map_err(|error| error.to_string());
    let config = Config::from_file(file)
        .and_then(|config| config.resolved(names.node(), &resolve))
        .map_err(|problems| problems.to_string())?;
    let library = Library::new(settings.package_path.clone());
    let graph = Graph::ask(settings).await;
    let mut report = Report { library, text: String::new(), faults: 0 };
    let count = config.routes();
    report.line(
        0,
        &format!("{}: {count} routes into the namespace {:?}", config.source, config.hub.namespace),
    );
    report.line(1, &format!("status variable {}", config.status_variable));
    if let Err(why) = &graph {
        report.line(1, &format!("not compared with a master: {why}"));
    }
    report.routes(&config, graph.as_ref().ok());
    let wrong = report.faults;
    report.line(0, &if wrong == 0 { "ok".to_owned() } else { format!("{wrong} wrong") });
    print!("{}", report.text);
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the master knows.
struct Graph {
    topics: Vec<Topic>,
    services: HashMap<String, Option<String>>,
}

impl Graph {
    async fn ask(mut settings: Settings) -> Result<Self, String> {
        // Under a name of its own: the bridge itself may be running.
        let name = format!("posthouse_bridge_check_{}", std::process::id());
        settings.names = Names::new(settings.names.namespace(), &name, &[])
            .map_err(|error| error.to_string())?;
        settings.log_file = None;
        settings.params.clear();
        let uri = settings.master_uri();
        let node = Node::start(settings).await.map_err(|error| error.to_string())?;
        let ask = async {
            let topics = node.topics().await.map_err(|error| error.to_string())?;
            let mut services = HashMap::new();
            for service in node.services().await.map_err(|error| error.to_string())? {
                // ROS's own services of every node are no one's route.
                let own =
                    ["/get_loggers", "/set_logger_level"].iter().any(|end| service.ends_with(end));
                let kind = if own { None } else { node.type_of_service(&service).await.ok() };
                services.insert(service, kind);
            }
            Ok(Self { topics, services })
        };
        let asked = tokio::time::timeout(LIMIT, ask).await;
        node.close(LIMIT).await.ok();
        asked.unwrap_or_else(|_| Err(format!("{uri} did not answer within {} s", LIMIT.as_secs())))
    }

    fn topic(&self, name: &str) -> Option<&Topic> {
        self.topics.iter().find(|topic| topic.name == name)
    }
}

struct Report {
    library: Library,
    text: String,
    faults: usize,
}

impl Report {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = depth * 2);
    }

    fn wrong(&mut self, common: &Common, text: &str) {
        self.faults += 1;
        let place = common.line.map_or_else(String::new, |line| format!("line {line}: "));
        self.line(2, &format!("WRONG {place}{text}"));
    }

    fn message(&mut self, common: &Common, kind: &str) -> Option<Arc<Layout>> {
        match self.library.message(kind) {
            Ok(layout) => Some(layout),
            Err(error) => {
                self.wrong(common, &error.to_string());
                None
            }
        }
    }

    fn routes(&mut self, config: &Config, graph: Option<&Graph>) {
        let mut titles = titles(config).into_iter();
        let own = own_topics(config);
        for route in &config.topics {
            let rate = route
                .interval
                .map(|interval| format!(", at most {:.3} Hz", 1.0 / interval.as_secs_f64()));
            self.title(titles.next(), route.kind.as_deref(), &rate.unwrap_or_default());
            if glob::wildcards(&route.topic) == 0 {
                self.heard(
                    &route.common,
                    &route.topic,
                    route.kind.as_deref(),
                    route.field.as_deref(),
                    graph,
                );
            } else if let Some(graph) = graph {
                self.pattern(route, graph, &own);
            }
        }
        for route in &config.controls {
            let guard = if route.apply_existing { ", without a session" } else { ", by session" };
            self.title(titles.next(), Some(&route.kind), guard);
            self.written(&route.common, &route.topic, &route.kind, graph);
        }
        for route in &config.events_out {
            self.title(titles.next(), route.kind.as_deref(), "");
            self.heard(&route.common, &route.topic, route.kind.as_deref(), None, graph);
        }
        for route in &config.events_in {
            let group = route.queue.as_ref().map(|queue| format!(", in the group {queue}"));
            self.title(titles.next(), Some(&route.kind), &group.unwrap_or_default());
            self.written(&route.common, &route.topic, &route.kind, graph);
        }
        for route in &config.services_in {
            self.title(titles.next(), route.kind.as_deref(), "");
            self.called(&route.common, &route.service, route.kind.as_deref(), graph);
        }
        for route in &config.services_out {
            self.title(titles.next(), Some(&route.kind), "");
            if let Err(error) = self.library.service(&route.kind) {
                self.wrong(&route.common, &error.to_string());
            }
            if graph.is_some_and(|graph| graph.services.contains_key(&route.service)) {
                self.line(
                    2,
                    "is offered now, by this bridge or by another node, which would lose it",
                );
            }
        }
    }

    fn title(&mut self, title: Option<(String, String)>, kind: Option<&str>, more: &str) {
        let (path, title) = title.unwrap_or_default();
        let kind = kind.map_or_else(String::new, |kind| format!(" ({kind})"));
        self.line(1, &format!("{path}: {title}{kind}{more}"));
    }

    /// A topic that the bridge subscribes to.
    fn heard(
        &mut self,
        common: &Common,
        name: &str,
        kind: Option<&str>,
        field: Option<&str>,
        graph: Option<&Graph>,
    ) {
        let topic = graph.and_then(|graph| graph.topic(name));
        let now =
            topic.map(|topic| topic.kind.as_str()).filter(|kind| !kind.is_empty() && *kind != "*");
        if let (Some(kind), Some(now)) = (kind, now)
            && kind != now
        {
            self.wrong(common, &format!("{name} is of type {now} on the master, not {kind}"));
        }
        let layout = kind.or(now).and_then(|kind| {
            // Without a definition on disk the publisher brings its own.
            if kind_is_given(kind, now) {
                self.library.message(kind).ok()
            } else {
                self.message(common, kind)
            }
        });
        if let (Some(layout), Some(field)) = (layout, field)
            && let Err(refusal) = layout.select(field)
        {
            self.wrong(common, &format!("the field {field} of {}: {refusal}", layout.name()));
        }
        match topic {
            _ if graph.is_none() => {}
            Some(topic) if !topic.publishers.is_empty() => {
                let kind = now.unwrap_or("a type not known yet");
                self.line(2, &format!("{kind}, published by {}", topic.publishers.join(", ")));
            }
            _ => self.line(2, "nobody publishes it now"),
        }
    }

    fn pattern(
        &mut self,
        route: &TopicRoute,
        graph: &Graph,
        own: &std::collections::BTreeSet<String>,
    ) {
        let found = meant(route, &graph.topics, own);
        if found.is_empty() {
            self.line(2, "no topic matches now");
        }
        for (topic, variable) in found {
            self.line(2, &format!("{topic} → variable {variable}"));
            let kind = graph.topic(&topic).map(|topic| topic.kind.clone()).unwrap_or_default();
            if let (Ok(layout), Some(field)) = (self.library.message(&kind), &route.field)
                && let Err(refusal) = layout.select(field)
            {
                self.wrong(&route.common, &format!("the field {field} of {topic}: {refusal}"));
            }
        }
    }

    /// A topic that the bridge publishes.
    fn written(&mut self, common: &Common, name: &str, kind: &str, graph: Option<&Graph>) {
        self.message(common, kind);
        let Some(graph) = graph else { return };
        let Some(topic) = graph.topic(name) else {
            return self.line(2, "nobody subscribes to it now");
        };
        if !topic.kind.is_empty() && topic.kind != "*" && topic.kind != kind {
            self.wrong(
                common,
                &format!("{name} is of type {} on the master, not {kind}", topic.kind),
            );
        }
        if topic.subscribers.is_empty() {
            self.line(2, "nobody subscribes to it now");
        } else {
            self.line(2, &format!("subscribed to by {}", topic.subscribers.join(", ")));
        }
        if !topic.publishers.is_empty() {
            self.line(2, &format!("published by {}, too", topic.publishers.join(", ")));
        }
    }

    /// A service that the bridge calls.
    fn called(&mut self, common: &Common, name: &str, kind: Option<&str>, graph: Option<&Graph>) {
        let there = graph.and_then(|graph| graph.services.get(name));
        let now = there.and_then(Option::as_deref);
        if let (Some(kind), Some(now)) = (kind, now)
            && kind != now
        {
            self.wrong(common, &format!("{name} is of type {now} on the master, not {kind}"));
        }
        if let Some(kind) = kind.or(now)
            && let Err(error) = self.library.service(kind)
        {
            self.wrong(common, &error.to_string());
        }
        match there {
            _ if graph.is_none() => {}
            Some(_) => self.line(
                2,
                &format!("{}, offered", now.unwrap_or("a type that its node does not tell")),
            ),
            None => self.line(2, "nobody offers it now"),
        }
    }
}

/// Whether a type is only what the master says.
fn kind_is_given(kind: &str, now: Option<&str>) -> bool {
    now == Some(kind)
}
