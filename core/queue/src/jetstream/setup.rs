//! Making a queue's stream and consumer, or finding them and refusing those that are not as the settings say.
use super::{
    api::api,
    link::Link,
    names::{MOVER, Names, WORKERS},
    refusal::{NO_SUCH_CONSUMER, NO_SUCH_STREAM, Refusal, STREAM_EXISTS},
};
use crate::{StoreError, Terms, Trouble};
use serde_json::{Value, json};
use std::time::Duration;

/// Since this version a server can publish later, and a batch as a whole.
const SCHEDULES: (u32, u32) = (2, 12);
/// How long a dead-letter queue keeps messages as long as it was not opened with terms of its own.
const DEAD_KEPT: Duration = Duration::from_secs(4 * 86_400);
/// Marks a stream that was only made to put dead letters into; opening its queue gives it its terms.
const UNSETTLED: &str = "Posthouse dead letters; opening the queue gives it its settings";
/// Pull requests that may wait at the server, of all workers together.
const MAX_WAITING: u64 = 8192;

/// What the stream can do, which the server decided when it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// It publishes later by itself.
    pub(super) schedules: bool,
    /// It takes a batch whole or not at all.
    pub(super) atomic: bool,
    /// Messages can have a time to live of their own.
    pub(super) lifetimes: bool,
}

/// How long the server waits for a sign of life before it delivers again: a little longer than our leases last,
/// so that nothing that was said at their end arrives after the next delivery.
pub(super) fn ack_wait(terms: &Terms) -> Duration {
    let spare = terms.visibility / 10;
    terms.visibility
        + terms.retry_delay
        + spare.clamp(Duration::from_millis(100), Duration::from_secs(2))
}

/// How long the server knows a message again that is sent twice.
pub(super) fn duplicate_window(visibility: Duration, retention: Duration) -> Duration {
    (4 * visibility).max(Duration::from_secs(120)).min(retention)
}

/// Makes or checks everything the queue needs.
pub(super) async fn ensure(
    link: &Link,
    names: &Names,
    terms: &Terms,
    replicas: Option<u8>,
) -> Result<Made, StoreError> {
    let wanted = stream(link, names, terms.retention, terms.visibility, replicas, &names.queue);
    let found = ensure_stream(link, names, &wanted).await?;
    // Worth telling first: what it follows from is wrong, too.
    ensure_consumer(link, names, &consumer(WORKERS, &names.ready, ack_wait(terms))).await?;
    check(
        &format!("the stream {}", names.stream),
        &stream_differences(&found, &wanted, replicas.is_some()),
        &format!("`nats stream edit {}`", names.stream),
    )?;
    let made = Made {
        schedules: found["allow_msg_schedules"] == true,
        atomic: found["allow_atomic"] == true,
        lifetimes: found["allow_msg_ttl"] == true,
    };
    if !made.schedules {
        // It only has to outlast one publish; nobody's work is at stake.
        let mover = consumer(MOVER, &names.all_later(), Duration::from_secs(30));
        ensure_consumer(link, names, &mover).await?;
    }
    Ok(made)
}

/// Makes the stream of a dead-letter queue where there is none. Whoever opens that queue gives it its terms.
pub(super) async fn ensure_dead(
    link: &Link,
    names: &Names,
    replicas: Option<u8>,
) -> Result<(), StoreError> {
    let visibility = Duration::from_secs(30);
    let wanted = stream(link, names, DEAD_KEPT, visibility, replicas, UNSETTLED);
    ensure_stream(link, names, &wanted).await.map(drop)
}

/// The configuration of the stream: as it was made, or as it was found.
async fn ensure_stream(link: &Link, names: &Names, wanted: &Value) -> Result<Value, StoreError> {
    let what = format!("opening the queue {:?}", names.queue);
    let info = format!("STREAM.INFO.{}", names.stream);
    // Twice: another process may make it between the question and the wish.
    for _ in 0..2 {
        match api(link, &info, &Value::Null).await {
            Ok(found)
                if found["config"]["description"] == UNSETTLED && *wanted != found["config"] =>
            {
                if wanted["description"] == UNSETTLED {
                    return Ok(found["config"].clone());
                }
                let mut settled = wanted.clone();
                settled["num_replicas"] = found["config"]["num_replicas"].clone();
                let answer = api(link, &format!("STREAM.UPDATE.{}", names.stream), &settled).await;
                return Ok(answer.map_err(|told| told.error(&what))?["config"].clone());
            }
            Ok(found) => return Ok(found["config"].clone()),
            Err(told) if told.is(NO_SUCH_STREAM) => {}
            Err(told) => return Err(told.error(&what)),
        }
        match api(link, &format!("STREAM.CREATE.{}", names.stream), wanted).await {
            Ok(made) => return Ok(made["config"].clone()),
            Err(told) if told.is(STREAM_EXISTS) => {}
            Err(told) => return Err(told.error(&what)),
        }
    }
    Err(Refusal::Silence.error(&what))
}

async fn ensure_consumer(link: &Link, names: &Names, wanted: &Value) -> Result<(), StoreError> {
    let what = format!("opening the queue {:?}", names.queue);
    let name = wanted["name"].as_str().unwrap_or_default();
    let (stream, filter) = (&names.stream, wanted["filter_subject"].as_str().unwrap_or_default());
    match api(link, &format!("CONSUMER.INFO.{stream}.{name}"), &Value::Null).await {
        Ok(found) => check(
            &format!("the consumer {name} of the stream {stream}"),
            &consumer_differences(&found["config"], wanted),
            &format!("`nats consumer edit {stream} {name}`"),
        ),
        Err(told) if told.is(NO_SUCH_CONSUMER) => {
            let verb = format!("CONSUMER.CREATE.{stream}.{name}.{filter}");
            let body = json!({"stream_name": stream, "config": wanted, "action": "create"});
            api(link, &verb, &body).await.map(drop).map_err(|told| told.error(&what))
        }
        Err(told) => Err(told.error(&what)),
    }
}

fn stream(
    link: &Link,
    names: &Names,
    retention: Duration,
    visibility: Duration,
    replicas: Option<u8>,
    description: &str,
) -> Value {
    let mut wanted = json!({
        "name": names.stream,
        "description": description,
        "subjects": names.subjects(),
        "retention": "workqueue",
        "storage": "file",
        "discard": "new",
        "max_consumers": -1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": nanoseconds(retention),
        "duplicate_window": nanoseconds(duplicate_window(visibility, retention)),
        "num_replicas": replicas.unwrap_or(1),
        "allow_rollup_hdrs": true,
    });
    if link.version() >= SCHEDULES {
        for name in ["allow_msg_schedules", "allow_atomic", "allow_msg_ttl"] {
            wanted[name] = Value::Bool(true);
        }
    }
    wanted
}

fn consumer(name: &str, filter: &str, ack_wait: Duration) -> Value {
    json!({
        "name": name,
        "durable_name": name,
        "ack_policy": "explicit",
        "ack_wait": nanoseconds(ack_wait),
        "deliver_policy": "all",
        "replay_policy": "instant",
        "filter_subject": filter,
        // Past such limits messages lie unseen, and those that wait for a retry would block the others.
        "max_deliver": -1,
        "max_ack_pending": -1,
        "max_waiting": MAX_WAITING,
    })
}

/// What would behave differently. Descriptions, placement, limits that refuse new messages and the like are the
/// administrator's.
fn stream_differences(found: &Value, wanted: &Value, replicas: bool) -> Vec<String> {
    let mut keys = vec!["subjects", "retention", "storage", "max_age", "allow_rollup_hdrs"];
    if replicas {
        keys.push("num_replicas");
    }
    let mut differences = differences(found, wanted, &keys);
    let limited = ["max_msgs", "max_bytes"].iter().any(|key| found[key].as_i64().unwrap_or(-1) > 0);
    if limited && found["discard"] != "new" {
        differences.push("it discards old messages when it is full, discard has to be new".into());
    }
    let number = |config: &Value, key: &str| config[key].as_u64().unwrap_or(0);
    if number(found, "max_age") == number(wanted, "max_age")
        && number(found, "duplicate_window") < number(wanted, "duplicate_window")
    {
        differences.push(difference("duplicate_window", found, wanted));
    }
    for key in ["no_ack", "sealed", "deny_delete", "deny_purge"] {
        if found[key] == true {
            differences.push(format!("{key} is on and has to be off"));
        }
    }
    differences
}

fn consumer_differences(found: &Value, wanted: &Value) -> Vec<String> {
    let keys = [
        "ack_policy",
        "ack_wait",
        "deliver_policy",
        "filter_subject",
        "max_deliver",
        "max_ack_pending",
    ];
    let mut differences = differences(found, wanted, &keys);
    for key in ["backoff", "deliver_subject", "headers_only", "priority_groups"] {
        if !matches!(&found[key], Value::Null | Value::Bool(false)) && found[key] != json!([]) {
            differences.push(format!("{key} is set and must not be"));
        }
    }
    differences
}

fn differences(found: &Value, wanted: &Value, keys: &[&str]) -> Vec<String> {
    let differs = |key: &&&str| found[**key] != wanted[**key];
    keys.iter().filter(differs).map(|key| difference(key, found, wanted)).collect()
}

fn difference(key: &str, found: &Value, wanted: &Value) -> String {
    let shown = |value: &Value| match (key, value.as_u64()) {
        ("max_age" | "ack_wait" | "duplicate_window", Some(ns)) => {
            format!("{} s", Duration::from_nanos(ns).as_secs_f64())
        }
        _ => value.to_string(),
    };
    format!("{key} is {} and has to be {}", shown(&found[key]), shown(&wanted[key]))
}

fn check(what: &str, differences: &[String], remedy: &str) -> Result<(), StoreError> {
    if differences.is_empty() {
        return Ok(());
    }
    let words = format!(
        "{what} exists and is not as the queue's settings say: {}. Give the settings it was made with, or change it \
         with {remedy}",
        differences.join("; ")
    );
    Err(StoreError::new(Trouble::Mismatch, words))
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(config: &Value, change: &Value) -> Value {
        let mut all = config.as_object().cloned().unwrap_or_default();
        all.extend(change.as_object().cloned().unwrap_or_default());
        Value::Object(all)
    }

    #[test]
    fn the_server_waits_longer_than_the_lease_lasts() {
        for (visibility, retry_delay) in [(1, 0), (30, 0), (30, 43_200), (3600, 5)] {
            let terms = Terms {
                visibility: Duration::from_secs(visibility),
                retry_delay: Duration::from_secs(retry_delay),
                retention: DEAD_KEPT,
                dead_letter: None,
                in_flight: 1,
            };
            let lease = terms.visibility + terms.retry_delay;
            let spare = Duration::from_millis(100)..=Duration::from_secs(2);
            assert!((lease + *spare.start()..=lease + *spare.end()).contains(&ack_wait(&terms)));
        }
        assert_eq!(duplicate_window(Duration::from_secs(60), DEAD_KEPT).as_secs(), 240);
        assert_eq!(duplicate_window(Duration::from_secs(60), Duration::from_secs(9)).as_secs(), 9);
    }

    #[test]
    fn what_behaves_differently_is_told_and_the_rest_is_let_be() {
        let wanted = json!({"subjects": ["s"], "retention": "workqueue", "storage": "file", "max_age": 1e9 as u64,
            "allow_rollup_hdrs": true, "num_replicas": 1, "duplicate_window": 1_000_000_000});
        let fine = merged(
            &wanted,
            &json!({"description": "mine", "max_msgs": 5, "discard": "new", "num_replicas": 3,
            "duplicate_window": 2_000_000_000}),
        );
        assert!(stream_differences(&fine, &wanted, false).is_empty());
        for (change, told) in [
            (json!({"retention": "limits"}), "retention"),
            (json!({"max_age": 2_000_000_000}), "max_age is 2 s and has to be 1 s"),
            (json!({"discard": "old"}), "discard"),
            (json!({"duplicate_window": 5}), "duplicate_window"),
            (json!({"no_ack": true}), "no_ack"),
            (json!({"num_replicas": 2}), "num_replicas"),
        ] {
            let differences = stream_differences(
                &merged(&merged(&fine, &json!({"num_replicas": 1})), &change),
                &wanted,
                true,
            );
            assert_eq!(differences.len(), 1, "{differences:?}");
            assert!(differences[0].contains(told), "{differences:?}");
        }
        let error = check("it", &["a".into()], "that").unwrap_err();
        assert_eq!(error.trouble(), Trouble::Mismatch);
    }

    #[test]
    fn consumers_with_limits_are_refused() {
        let wanted = consumer(WORKERS, "s", Duration::from_secs(33));
        let found = merged(&wanted, &json!({"max_waiting": 512, "num_replicas": 0, "backoff": []}));
        assert!(consumer_differences(&found, &wanted).is_empty());
        for change in [
            json!({"max_deliver": 5}),
            json!({"ack_wait": 1}),
            json!({"backoff": [1]}),
            json!({"max_ack_pending": 1000}),
        ] {
            assert_eq!(consumer_differences(&merged(&found, &change), &wanted).len(), 1);
        }
    }
}
