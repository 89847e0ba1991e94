//! From the names in the file to full ROS names.
use super::{
    Config,
    conflicts::conflicts,
    glob,
    problem::{Problem, Problems},
};

/// What makes a full ROS name of one in the file, or says why it cannot.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl Config {
    /// Makes all ROS names full, and refuses what would run in a circle.
    ///
    /// `node` is the full name of the bridge's node. Remaps have no effect on patterns.
    ///
    /// # Errors
    /// Names that ROS refuses, and conflicts.
    pub fn resolved(mut self, node: &str, resolve: Resolve<'_>) -> Result<Self, Problems> {
        let mut list = Vec::new();
        let mut full = |name: &mut String, common: &super::Common, key: &str| {
            let wild = glob::wildcards(name) > 0;
            let outcome = if wild { Ok(pattern(name, node)) } else { resolve(name) };
            match outcome {
                Ok(resolved) => *name = resolved,
                Err(text) => {
                    list.push(Problem::new(common.line, format!("{}.{key}", common.path), text));
                }
            }
        };
        for route in &mut self.topics {
            full(&mut route.topic, &route.common, "topic");
            for name in &mut route.exclude {
                full(name, &route.common, "exclude");
            }
        }
        for route in &mut self.controls {
            full(&mut route.topic, &route.common, "topic");
        }
        for route in &mut self.events_out {
            full(&mut route.topic, &route.common, "topic");
        }
        for route in &mut self.events_in {
            full(&mut route.topic, &route.common, "topic");
        }
        for route in &mut self.services_in {
            full(&mut route.service, &route.common, "service");
        }
        for route in &mut self.services_out {
            full(&mut route.service, &route.common, "service");
        }
        if list.is_empty() {
            list = conflicts(&self);
        }
        if list.is_empty() { Ok(self) } else { Err(Problems { source: self.source, list }) }
    }
}

/// A pattern as a node sees it.
fn pattern(text: &str, node: &str) -> String {
    if text.starts_with('/') {
        return text.to_owned();
    }
    if let Some(private) = text.strip_prefix('~') {
        return format!("{node}/{}", private.trim_start_matches('/'));
    }
    let namespace = node.rsplit_once('/').map_or("", |(namespace, _)| namespace);
    format!("{namespace}/{text}")
}
