//! Watches: first the initialised state, then every change, never losing the last.
use crate::common::Rig;
use posthouse_core::hub::Event;

fn told(rig: &mut Rig) -> usize {
    rig.news().iter().filter(|event| matches!(event, Event::Watch(_))).count()
}

#[test]
fn it_begins_with_the_initialised_state() {
    let (mut rig, link) = Rig::connected();
    let var = rig.var("battery");
    let watch = rig.hub.watch(var).unwrap();
    let meta = rig.hub.meta(var);
    assert_eq!((meta.initialized, meta.exists), (false, None));
    rig.news();
    rig.serve(link);
    rig.wait(2_399 - rig.ms);
    assert_eq!(told(&mut rig), 0, "nobody knows yet whether it exists");
    rig.wait(1);
    assert_eq!(told(&mut rig), 1);
    let view = rig.hub.take_watch(watch).unwrap();
    assert_eq!((view.value, view.meta.exists), (None, Some(false)));
    // A record makes it known at once.
    let other = rig.var("other");
    rig.hub.watch(other).unwrap();
    assert_eq!(told(&mut rig), 1, "a late watch begins at once");
}

#[test]
fn a_record_initialises_and_ready_ends() {
    let (mut rig, link) = Rig::connected();
    let var = rig.var("battery");
    let hub = rig.hub.ready(rig.now(), None, None).unwrap();
    let one = rig.hub.ready(rig.now(), Some(var), None).unwrap();
    let soon = rig.hub.ready(rig.now(), None, Some(10)).unwrap();
    rig.hub.watch(var).unwrap();
    rig.news();
    rig.record(link, "battery", "1", "w", "1");
    assert_eq!(told(&mut rig), 1);
    assert_eq!((rig.code(one), rig.code(hub)), ("OK", "-"));
    rig.wait(10);
    assert_eq!(rig.code(soon), "TIMEOUT");
    rig.wait(2_400);
    assert_eq!(rig.code(hub), "OK");
}

#[test]
fn offline_hubs_are_initialised_too() {
    let mut rig = Rig::new();
    let hub = rig.hub.ready(rig.now(), None, None).unwrap();
    rig.wait(2_400);
    assert_eq!(rig.code(hub), "OK");
}

#[test]
fn changes_of_metadata_count_and_unchanged_things_do_not() {
    let (mut rig, link) = Rig::connected();
    rig.record(link, "battery", "1", "w", "1");
    let var = rig.var("battery");
    let watch = rig.hub.watch(var).unwrap();
    let take = |rig: &mut Rig| {
        let told = told(rig);
        let view = rig.hub.take_watch(watch).unwrap();
        (told, view.value.map(|v| v.len()), view.meta.pending, view.meta.connected)
    };
    assert_eq!(take(&mut rig), (1, Some(1), false, true));
    // A second watch is no news for the first.
    let second = rig.hub.watch(var).unwrap();
    assert_eq!(rig.hub.take_watch(second).unwrap().value.as_deref(), Some(&b"1"[..]));
    assert!(rig.hub.take_news(watch).is_none());
    rig.news();
    rig.record(link, "battery", "1", "w", "1");
    rig.record(link, "battery", "1", "a", "2");
    assert_eq!(told(&mut rig), 0);
    rig.hub.unwatch(second);
    // The same value again is a new version.
    rig.record(link, "battery", "2", "w", "1");
    assert_eq!(take(&mut rig), (1, Some(1), false, true));
    rig.set("battery", "1");
    assert_eq!(take(&mut rig), (1, Some(1), true, true));
    rig.serve(link);
    assert_eq!(take(&mut rig), (1, Some(1), false, true), "confirmed");
    rig.lose(link);
    assert_eq!(take(&mut rig), (1, Some(1), false, false));
    rig.wait_dial();
    rig.connect();
    assert_eq!(take(&mut rig), (1, Some(1), false, true));
}

#[test]
fn states_may_be_passed_over_but_never_the_last() {
    let (mut rig, link) = Rig::connected();
    let var = rig.var("battery");
    let watch = rig.hub.watch(var).unwrap();
    rig.news();
    for n in 1..50 {
        rig.record(link, "battery", &n.to_string(), "w", &n.to_string());
    }
    assert_eq!(told(&mut rig), 1);
    assert_eq!(rig.hub.take_watch(watch).unwrap().value.as_deref(), Some(&b"49"[..]));
    rig.record(link, "battery", "50", "w", "50");
    assert_eq!(told(&mut rig), 1);
    rig.hub.unwatch(watch);
    assert!(rig.hub.take_watch(watch).is_none(), "stopping is immediate");
    rig.record(link, "battery", "51", "w", "51");
    assert_eq!(told(&mut rig), 0);
}
