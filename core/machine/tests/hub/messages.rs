//! Publishing: what is accepted, what is refused, and what goes over the wire.
use crate::common::{Rig, config, refused, subject};
use posthouse_core::headers::Headers;

#[test]
fn an_event_goes_out_as_it_is_and_changes_no_state() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let var = rig.var("notice");
    rig.hub.publish(var, b"{\"b\":1,\"a\":2}", None).unwrap();
    let body = "{\"b\":1,\"a\":2}";
    assert_eq!(rig.sent(link), format!("PUB {} 13\r\n{body}\r\n", subject("notice")));
    let meta = rig.hub.meta(var);
    assert_eq!((rig.get("notice"), meta.version, meta.pending), (None, None, false));
}

#[test]
fn headers_go_lowercase_and_within_bounds() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let var = rig.var("notice");
    let mut headers = Headers::new();
    for (name, value) in [("X-Trace", "op 42"), ("X-Tag", "a"), ("x-tag", " b ")] {
        headers.append(name, value).unwrap();
    }
    rig.hub.publish(var, b"1", Some(&headers)).unwrap();
    let block = "NATS/1.0\r\nx-trace: op 42\r\nx-tag: a\r\nx-tag: b\r\n\r\n";
    let (head, size) = (block.len(), block.len() + 1);
    let subject = subject("notice");
    assert_eq!(rig.sent(link), format!("HPUB {subject} {head} {size}\r\n{block}1\r\n"));
    let mut many = Headers::new();
    (0..33).for_each(|_| many.append("x", "1").unwrap());
    assert_eq!(refused(&rig.hub.publish(var, b"1", Some(&many))), "MESSAGE_TOO_LARGE");
    let mut long = Headers::new();
    long.append("x", &"y".repeat(4_096)).unwrap();
    assert_eq!(refused(&rig.hub.publish(var, b"1", Some(&long))), "MESSAGE_TOO_LARGE");
    assert_eq!(rig.sent(link), "");
}

#[test]
fn every_info_sets_what_the_server_takes() {
    let (mut rig, link) = Rig::connected();
    let var = rig.var("notice");
    rig.hub.publish(var, &[b'1'; 100], None).unwrap();
    rig.say(link, "INFO {\"headers\":true,\"max_payload\":50}\r\n");
    let error = rig.hub.publish(var, &[b'1'; 51], None).unwrap_err();
    assert_eq!(error.code().as_str(), "MESSAGE_TOO_LARGE");
    assert_eq!((error.limit(), error.actual()), (Some(50), Some(51)));
    let mut headers = Headers::new();
    headers.append("x", "1").unwrap();
    assert_eq!(refused(&rig.hub.publish(var, &[b'1'; 40], Some(&headers))), "MESSAGE_TOO_LARGE");
    rig.hub.publish(var, &[b'1'; 50], None).unwrap();
    rig.say(link, "INFO {\"headers\":true,\"max_payload\":100}\r\n");
    rig.hub.publish(var, &[b'1'; 100], None).unwrap();
    assert_eq!(refused(&rig.hub.publish(var, &vec![b'1'; 65_537], None)), "MESSAGE_TOO_LARGE");
}

#[test]
fn a_record_that_the_server_does_not_take_stays_pending_until_it_does() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    rig.say(link, "INFO {\"headers\":true,\"max_payload\":50}\r\n");
    rig.set("battery", "1");
    assert_eq!(rig.sent(link), "");
    let var = rig.var("battery");
    assert!(rig.hub.meta(var).pending);
    rig.say(link, "INFO {\"headers\":true,\"max_payload\":500}\r\n");
    assert!(rig.serve(link).contains("\"battery\""));
    assert!(!rig.hub.meta(var).pending);
}

#[test]
fn past_the_outbound_budget_nothing_is_sent() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.messaging.outbound_bytes = 1_000;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    rig.serve(link);
    let var = rig.var("notice");
    let mut accepted = 0;
    while rig.hub.publish(var, &[b'1'; 100], None).is_ok() {
        accepted += 1;
    }
    assert!((5..10).contains(&accepted));
    assert_eq!(refused(&rig.hub.publish(var, &[b'1'; 100], None)), "BUFFER_OVERFLOW");
    let now = rig.now();
    assert_eq!(refused(&rig.hub.request(now, var, &[b'1'; 100], None, 9, None)), "BUFFER_OVERFLOW");
    let mut bytes = Vec::new();
    rig.hub.take_output(link, &mut bytes);
    assert_eq!(String::from_utf8(bytes.clone()).unwrap().matches("PUB").count(), accepted);
    // Taken by the driver is not yet written.
    assert_eq!(refused(&rig.hub.publish(var, &[b'1'; 100], None)), "BUFFER_OVERFLOW");
    rig.hub.handle_written(now, link, bytes.len());
    rig.hub.publish(var, &[b'1'; 100], None).unwrap();
}
