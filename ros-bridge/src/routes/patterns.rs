//! A pattern of topics: the graph is looked at every second, and what matches is taken up as it appears.
use super::{Context, Route, topics::TopicTask};
use crate::{
    config::{TopicRoute, glob},
    ros::Topic,
};
use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    time::Duration,
};
use tokio::{task::JoinSet, time::MissedTickBehavior};

/// How often the graph is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How many topics a pattern may take up.
pub const MOST: usize = 256;

/// The topics among `topics` that a pattern means, with the variable of each; what the bridge itself
/// writes is none of them.
pub fn meant(
    config: &TopicRoute,
    topics: &[Topic],
    own: &BTreeSet<String>,
) -> Vec<(String, String)> {
    let wanted = |topic: &&Topic| {
        !own.contains(&topic.name)
            && !topic.publishers.is_empty()
            && !config.exclude.iter().any(|out| glob::matches(out, &topic.name).is_some())
            && config.kind.as_ref().is_none_or(|kind| topic.kind.is_empty() || topic.kind == *kind)
    };
    let named = |topic: &Topic| {
        let found = glob::matches(&config.topic, &topic.name)?;
        Some((topic.name.clone(), glob::fill(&config.variable, &topic.name, &found)))
    };
    topics.iter().filter(wanted).filter_map(named).collect()
}

/// Runs a pattern until it is aborted; its topics end with it.
pub(super) async fn run(
    context: Context,
    config: Arc<TopicRoute>,
    own: Arc<BTreeSet<String>>,
    route: Arc<Route>,
) {
    let mut taken = BTreeSet::new();
    let mut variables = HashSet::new();
    let mut tasks = JoinSet::new();
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        // While the master is away what was taken up stays.
        let Ok(topics) = context.ros.topics().await else { continue };
        for (topic, variable) in meant(&config, &topics, &own) {
            if taken.contains(&topic) {
                continue;
            }
            if taken.len() == MOST {
                let text = format!(
                    "more than {MOST} topics match; {topic} and later ones are left out: narrow the pattern or use exclude"
                );
                context.trouble(&route, &text);
                break;
            }
            taken.insert(topic.clone());
            if !variables.insert(variable.clone()) {
                let text = format!(
                    "{topic} would be the variable {variable:?}, which another topic of the pattern is already: put more of the name into the template"
                );
                context.trouble(&route, &text);
                continue;
            }
            let title = format!("{topic} → variable {variable}");
            let own_route = Arc::new(Route::new(format!("{} {topic}", config.common.path), title));
            match TopicTask::new(&context, &config, Arc::clone(&own_route), &topic, &variable) {
                Ok(task) => {
                    context.board.add(own_route);
                    tasks.spawn(task.run());
                }
                Err(text) => context.trouble(&route, &format!("{topic}: {text}")),
            }
        }
    }
}
