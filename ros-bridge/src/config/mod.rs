//! The configuration: one YAML file, or the private parameters of the node.
//!
//! [`tables`] says once what there is; [`check`] refuses what does not fit and names the line, `routes`
//! are what is left, [`conflicts`] refuses what would run in a circle. [`reference`](mod@reference) and
//! [`json_schema`] write the same tables for people and for editors.
pub mod check;
pub mod conflicts;
pub mod glob;
mod hub;
pub mod json_schema;
mod names;
pub mod params;
mod problem;
pub mod reference;
mod resolve;
mod routes;
pub mod schema;
pub mod tables;
#[cfg(test)]
mod tests;
mod view;
pub mod yaml;

pub use hub::{HubConfig, Surroundings};
pub use problem::{Problem, Problems};
pub use routes::{Common, Control, EventIn, EventOut, ServiceIn, ServiceOut, TopicRoute};

use std::path::Path;
use view::View;
use yaml::Node;

/// A whole configuration, checked.
#[derive(Debug)]
pub struct Config {
    /// What it is called in messages: a path, or the name of the node's parameters.
    pub source: String,
    /// The hub.
    pub hub: HubConfig,
    /// ROS topics that are variables.
    pub topics: Vec<TopicRoute>,
    /// Variables that command ROS topics.
    pub controls: Vec<Control>,
    /// Events from ROS to the hub.
    pub events_out: Vec<EventOut>,
    /// Events from the hub to ROS.
    pub events_in: Vec<EventIn>,
    /// Services of ROS that programs on the hub call.
    pub services_in: Vec<ServiceIn>,
    /// Handlers on the hub that ROS programs call.
    pub services_out: Vec<ServiceOut>,
    /// The variable in which the bridge reports itself.
    pub status_variable: String,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything that is wrong with it, with lines.
    pub fn from_file(path: &Path) -> Result<Self, Problems> {
        let source = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| Problems {
            source: source.clone(),
            list: vec![Problem::new(None, "", format!("cannot be read: {error}"))],
        })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        Self::from_text(&text, source, folder, &|name| std::env::var(name).ok())
    }

    /// Reads a text that is called `source` in messages; relative paths in it start at `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with it, with lines.
    pub fn from_text(
        text: &str,
        source: String,
        folder: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Problems> {
        match yaml::parse(text) {
            Ok(node) => Self::from_tree(&node, source, &Surroundings { folder, variable }),
            Err(problem) => Err(Problems { source, list: vec![problem] }),
        }
    }

    /// Reads a tree.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_tree(
        node: &Node,
        source: String,
        around: &Surroundings<'_>,
    ) -> Result<Self, Problems> {
        let mut list = check::check(node, &tables::FILE);
        if list.is_empty() {
            let config = Self::read(node, source.clone(), around, &mut list);
            if list.is_empty() {
                return Ok(config);
            }
        }
        list.sort_by_key(|problem| problem.line);
        Err(Problems { source, list })
    }

    fn read(
        node: &Node,
        source: String,
        around: &Surroundings<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let file = View::new(node, &tables::FILE);
        let section = |name| file.node(name).map(|node| View::new(node, table_of(name)));
        let defaults = section("defaults");
        let empty = Node { line: None, data: yaml::Data::Map(Vec::new()) };
        let hub = section("hub").unwrap_or_else(|| View::new(&empty, table_of("hub")));
        let tls = hub.node("tls").map(|node| View::new(node, tables::tls()));
        let mut config = Self {
            source,
            hub: HubConfig::read(hub, tls, around, problems),
            topics: Vec::new(),
            controls: Vec::new(),
            events_out: Vec::new(),
            events_in: Vec::new(),
            services_in: Vec::new(),
            services_out: Vec::new(),
            status_variable: file.some_text("status_variable"),
        };
        for name in ["topics", "controls", "events", "services"] {
            for (index, item) in file.items(name).iter().enumerate() {
                let path = format!("{name}[{index}]");
                let reading = routes::Reading {
                    view: View::new(item, table_of(name)),
                    common: Common::read(View::new(item, table_of(name)), defaults, path),
                    problems,
                };
                config.add(name, reading);
            }
        }
        config
    }

    fn add(&mut self, section: &str, reading: routes::Reading<'_, '_>) {
        let out = reading.view.text("direction") == Some(tables::TO_HUB);
        match section {
            "topics" => self.topics.extend(reading.topic()),
            "controls" => self.controls.push(reading.control()),
            "events" if out => self.events_out.extend(reading.event_out()),
            "events" => self.events_in.extend(reading.event_in()),
            "services" if out => self.services_out.extend(reading.service_out()),
            _ => self.services_in.push(reading.service_in()),
        }
    }

    /// How many routes there are.
    pub fn routes(&self) -> usize {
        self.topics.len()
            + self.controls.len()
            + self.events_out.len()
            + self.events_in.len()
            + self.services_in.len()
            + self.services_out.len()
    }
}

/// The table of a section of the file.
fn table_of(section: &str) -> &'static schema::Table {
    match tables::FILE.field(section).map(|field| field.kind) {
        Some(schema::Kind::Table(table) | schema::Kind::Items(table)) => table,
        _ => &tables::FILE,
    }
}
