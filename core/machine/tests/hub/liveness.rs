//! Signs of life: what is received counts, what is written does not.
use crate::common::{Rig, config};

fn rig(missed: usize) -> Rig {
    let mut config = config(1, &["nats://a:1"]);
    config.options.ping_missed = missed;
    config.options.probe_interval_ms = 1_000_000;
    Rig::with(config)
}

#[test]
fn a_dead_link_is_noticed_within_the_interval_times_missed_and_one() {
    for (missed, limit) in [(0, 5_000), (1, 10_000), (3, 20_000)] {
        let mut rig = rig(missed);
        let link = rig.connect();
        rig.wait(limit - 1);
        assert!(rig.closed().is_empty(), "{missed}");
        assert!(rig.sent(link).contains("PING\r\n"), "asked before it is given up");
        rig.wait(1);
        assert_eq!(rig.closed(), [link], "{missed}");
        assert_eq!(rig.current_error().as_deref(), Some("DISCONNECTED"));
    }
}

#[test]
fn an_idle_link_lives_as_long_as_its_pings_are_answered() {
    for missed in [0, 1] {
        let mut rig = rig(missed);
        let link = rig.connect();
        for _ in 0..200 {
            rig.wait(500);
            rig.serve(link);
        }
        assert!(rig.closed().is_empty());
    }
}

#[test]
fn writing_proves_nothing() {
    let mut rig = rig(1);
    let link = rig.connect();
    for n in 0..100 {
        rig.set("battery", &n.to_string());
        rig.sent(link);
        rig.wait(100);
    }
    assert_eq!(rig.closed(), [link]);
}

#[test]
fn a_read_of_nothing_proves_nothing() {
    let mut rig = rig(1);
    let link = rig.connect();
    for _ in 0..100 {
        rig.wait(100);
        rig.say(link, "");
    }
    assert_eq!(rig.closed(), [link]);
}

#[test]
fn the_server_s_own_ping_is_answered() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    rig.say(link, "PI");
    rig.say(link, "NG\r\n");
    assert_eq!(rig.sent(link), "PONG\r\n");
}

#[test]
fn a_server_that_never_greets_is_given_up() {
    let mut rig = rig(1);
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    rig.wait(10_000);
    assert_eq!(rig.closed(), [link]);
    rig.wait_dial();
    rig.connect();
    assert_eq!(rig.phase(), "Active");
}
