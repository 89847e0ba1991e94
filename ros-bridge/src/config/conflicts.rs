//! What would run in a circle or meet by accident: the same topic both ways, channels that overlap, names
//! given twice. Checked on full ROS names, after namespaces and remaps.
use super::{Common, Config, glob, problem::Problem};

/// A name that the bridge writes or offers, and the route that does.
struct Owner<'a> {
    name: &'a str,
    common: &'a Common,
}

impl Owner<'_> {
    fn place(&self) -> String {
        match self.common.line {
            Some(line) => format!("{} (line {line})", self.common.path),
            None => self.common.path.clone(),
        }
    }
}

/// The faults of a configuration whose ROS names are full.
pub fn conflicts(config: &Config) -> Vec<Problem> {
    let mut found = Found(Vec::new());
    found.topics(config);
    found.variables(config);
    found.channels(config);
    found.services(config);
    found.0.sort_by_key(|problem| problem.line);
    found.0
}

struct Found(Vec<Problem>);

impl Found {
    fn add(&mut self, common: &Common, key: &str, text: String) {
        let problem = Problem::new(common.line, format!("{}.{key}", common.path), text);
        // Two ways to the same fault are one fault.
        if !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    fn topics(&mut self, config: &Config) {
        let controls = config.controls.iter().map(|c| Owner { name: &c.topic, common: &c.common });
        let events = config.events_in.iter().map(|e| Owner { name: &e.topic, common: &e.common });
        let written: Vec<Owner<'_>> = controls.chain(events).collect();
        for (index, later) in written.iter().enumerate() {
            if let Some(first) = written[..index].iter().find(|first| first.name == later.name) {
                let text = format!(
                    "{} is published by {} already; a topic has one source here",
                    later.name,
                    first.place()
                );
                self.add(later.common, "topic", text);
            }
        }
        let both = |name: &str, place: String| {
            format!(
                "{name} goes both ways: {place} publishes it, so each message would come back; remove one of the two"
            )
        };
        for event in &config.events_out {
            if let Some(owner) = written.iter().find(|owner| owner.name == event.topic) {
                self.add(&event.common, "topic", both(&event.topic, owner.place()));
            }
        }
        for topic in &config.topics {
            let meant = |name: &str| {
                glob::matches(&topic.topic, name).is_some()
                    && !topic.exclude.iter().any(|out| glob::matches(out, name).is_some())
            };
            for owner in written.iter().filter(|owner| meant(owner.name)) {
                let mut text = both(owner.name, owner.place());
                if glob::wildcards(&topic.topic) > 0 {
                    text.push_str(", or put it into exclude");
                }
                self.add(&topic.common, "topic", text);
            }
        }
    }

    fn variables(&mut self, config: &Config) {
        for (index, control) in config.controls.iter().enumerate() {
            let mut before = config.controls[..index].iter();
            if let Some(first) = before.find(|first| first.variable == control.variable) {
                let first = Owner { name: &first.variable, common: &first.common };
                let text =
                    format!("{:?} is the variable of {} already", control.variable, first.place());
                self.add(&control.common, "variable", text);
            }
            if control.variable == config.status_variable {
                let text =
                    format!("{:?} is the status variable; take another name", control.variable);
                self.add(&control.common, "variable", text);
            }
        }
        for (index, topic) in config.topics.iter().enumerate() {
            let may = |name: &str| glob::may_become(&topic.variable, &topic.topic, name);
            for control in config.controls.iter().filter(|control| may(&control.variable)) {
                let owner = Owner { name: &control.variable, common: &control.common };
                let text = format!(
                    "may be {:?}, which commands a topic in {}; take another name",
                    control.variable,
                    owner.place()
                );
                self.add(&topic.common, "variable", text);
            }
            if may(&config.status_variable) {
                let text = format!(
                    "may be {:?}, the status variable; take another name",
                    config.status_variable
                );
                self.add(&topic.common, "variable", text);
            }
            let name = glob::fill(&topic.variable, &topic.topic, &[]);
            for first in &config.topics[..index] {
                let same = match (glob::wildcards(&first.topic), glob::wildcards(&topic.topic)) {
                    (0, 0) => glob::fill(&first.variable, &first.topic, &[]) == name,
                    (_, 0) => meets(first, &topic.topic, &name),
                    (0, _) => {
                        let name = glob::fill(&first.variable, &first.topic, &[]);
                        meets(topic, &first.topic, &name)
                    }
                    _ => first.variable == topic.variable && first.topic == topic.topic,
                };
                if same {
                    let owner = Owner { name: &first.variable, common: &first.common };
                    let text = format!(
                        "{:?} is the variable of {} already",
                        topic.variable,
                        owner.place()
                    );
                    self.add(&topic.common, "variable", text);
                }
            }
        }
    }

    fn channels(&mut self, config: &Config) {
        let events =
            config.events_out.iter().map(|e| Owner { name: &e.channel, common: &e.common });
        let calls =
            config.services_out.iter().map(|s| Owner { name: &s.channel, common: &s.common });
        let sent: Vec<Owner<'_>> = events.chain(calls).collect();
        let events = config.events_in.iter().map(|e| Owner { name: &e.channel, common: &e.common });
        let calls =
            config.services_in.iter().map(|s| Owner { name: &s.channel, common: &s.common });
        let heard: Vec<Owner<'_>> = events.chain(calls).collect();
        for owner in &sent {
            let back = heard.iter().find(|other| glob::channels_overlap(owner.name, other.name));
            if let Some(back) = back {
                let text = format!(
                    "{} overlaps {} of {}, where the bridge listens: it would hear itself; take channels that have no name in common",
                    owner.name,
                    back.name,
                    back.place()
                );
                self.add(owner.common, "channel", text);
            }
        }
        for list in [&sent, &heard] {
            for (index, later) in list.iter().enumerate() {
                if let Some(first) = list[..index].iter().find(|first| first.name == later.name) {
                    let text =
                        format!("{} is the channel of {} already", later.name, first.place());
                    self.add(later.common, "channel", text);
                }
            }
        }
    }

    fn services(&mut self, config: &Config) {
        for (index, service) in config.services_out.iter().enumerate() {
            let mut before = config.services_out[..index].iter();
            if let Some(first) = before.find(|first| first.service == service.service) {
                let owner = Owner { name: &first.service, common: &first.common };
                let text = format!("{} is offered by {} already", service.service, owner.place());
                self.add(&service.common, "service", text);
            }
            if let Some(other) =
                config.services_in.iter().find(|other| other.service == service.service)
            {
                let owner = Owner { name: &other.service, common: &other.common };
                let text = format!(
                    "{} is called by {} and offered here: a call would come back; remove one of the two",
                    service.service,
                    owner.place()
                );
                self.add(&service.common, "service", text);
            }
        }
    }
}

/// Whether a pattern takes a topic to the same variable as a route that names it.
fn meets(pattern: &super::TopicRoute, topic: &str, name: &str) -> bool {
    if pattern.exclude.iter().any(|out| glob::matches(out, topic).is_some()) {
        return false;
    }
    glob::matches(&pattern.topic, topic)
        .is_some_and(|found| glob::fill(&pattern.variable, topic, &found) == name)
}
