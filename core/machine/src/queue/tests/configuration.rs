//! The configuration: what it says, what of it is refused, and who may use what.
use super::*;

const PAGES: &str = r#"{"queues":{"PAGE_QUEUE":{"store":"sqlite:./queue.db","queue":"pages","settings":
    {"max_batch_size":100,"max_batch_wait":0.25,"max_retries":0,"retry_delay":60.0,"dead_letter_queue":"dead",
     "visibility_timeout":0.1,"max_concurrency":4,"retention":1209600,"handler_timeout":1}},
    "OTHER":{"store":"nats://secret@host","queue":"pages"}},"grants":{"QUEUE":["PAGE_QUEUE","LATER"]}}"#;

fn refused(text: &str) -> String {
    let error = Deployment::parse(text).expect_err(text);
    assert_eq!(error.code(), Code::InvalidOptions, "{text}");
    error.message().into()
}

/// A configuration of one queue with these settings.
fn with(settings: &str) -> String {
    format!("{{\"queues\":{{\"Q\":{{\"store\":\"s\",\"queue\":\"q\",\"settings\":{settings}}}}}}}")
}

#[test]
fn a_configuration_is_read() {
    let deployment = Deployment::parse(PAGES).unwrap();
    let pages = deployment.binding("PAGE_QUEUE").unwrap();
    assert_eq!((pages.store.as_str(), pages.queue.as_str()), ("sqlite:./queue.db", "pages"));
    assert_eq!(pages.dead_letter_queue.as_deref(), Some("dead"));
    let settings = Settings {
        max_batch_size: 100,
        max_batch_wait_ms: 250,
        max_retries: 0,
        retry_delay_ms: 60_000,
        visibility_timeout_ms: 100,
        max_concurrency: 4,
        retention_ms: 1_209_600_000,
        handler_timeout_ms: 1_000,
    };
    assert_eq!(pages.settings, settings);
    let other = deployment.configured("OTHER").unwrap();
    assert_eq!((other.settings, &other.dead_letter_queue), (Settings::default(), &None));
    // By the binding first, else by the queue's own name.
    assert_eq!(deployment.find("PAGE_QUEUE"), Ok(pages));
    assert_eq!(deployment.find("pages"), Ok(other));
    assert_eq!(deployment.find("dead"), deployment.configured("dead"));
    let names: Vec<&str> = deployment.bindings().map(|(name, _)| name).collect();
    assert_eq!(names, ["OTHER", "PAGE_QUEUE"]);
    assert_eq!(Deployment::parse("{}"), Ok(Deployment::new()));
}

#[test]
fn an_empty_name_can_be_caught_and_an_unknown_one_not() {
    let deployment = Deployment::parse(PAGES).unwrap();
    let Err(Refusal::Error(error)) = deployment.binding("") else { panic!() };
    assert_eq!(told(&error), (Code::QueueBinding, "队列绑定名不得为空", None));
    let fault = |name: &str| match deployment.binding(name) {
        Err(Refusal::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    };
    // Not granted; granted but not configured; neither; and never a part of the configuration in the text.
    for (name, what) in
        [("OTHER", "not granted"), ("LATER", "not configured"), ("page_queue", "not granted")]
    {
        let fault = fault(name);
        assert_eq!(fault.code(), Code::Deployment);
        assert!(fault.message().contains(what) && fault.message().contains(name), "{fault}");
        assert!(!fault.message().contains("secret"));
    }
    assert!(deployment.is_granted("LATER") && !deployment.is_granted("OTHER"));
    assert!(deployment.configured("LATER").is_err());
}

#[test]
fn what_is_not_granted_is_refused_even_where_nothing_is_said_of_grants() {
    let deployment = Deployment::parse(&with("{}")).unwrap();
    assert!(matches!(deployment.binding("Q"), Err(Refusal::Fault(_))));
    assert!(deployment.configured("Q").is_ok());
}

#[test]
fn unknown_names_are_refused_by_name() {
    for (text, wanted) in [
        (r#"{"queue":{}}"#, r#"the configuration has an unknown "queue"; did you mean "queues"?"#),
        (
            r#"{"colour":{}}"#,
            r#"the configuration has an unknown "colour"; known are queues, grants"#,
        ),
        (r#"{"grants":{"R2":[]}}"#, r#""grants" has an unknown "R2"; known are QUEUE"#),
        (
            r#"{"queues":{"Q":{"store":"s","queue":"q","setings":{}}}}"#,
            r#"the queue "Q" has an unknown "setings"; did you mean "settings"?"#,
        ),
    ] {
        assert_eq!(refused(text), wanted);
    }
    let text = refused(&with(r#"{"maxRetries":1}"#));
    assert_eq!(
        text,
        r#"the queue "Q": there is no option "maxRetries"; did you mean "max_retries"?"#
    );
    assert!(refused(&with(r#"{"contentType":1}"#)).contains("known are max_batch_size"));
}

#[test]
fn what_is_of_the_wrong_type_or_out_of_range_is_refused() {
    for (settings, wanted) in [
        (r#"{"max_batch_size":0}"#, "max_batch_size is 0; allowed is a whole number, 1 to 100"),
        (r#"{"max_batch_size":1.5}"#, "max_batch_size is 1.5; allowed is a whole number, 1 to 100"),
        (r#"{"max_batch_size":"10"}"#, r#"max_batch_size is "10"; allowed"#),
        (r#"{"max_batch_wait":60.001}"#, "max_batch_wait is 60.001; allowed is 0 to 60 seconds"),
        (r#"{"max_batch_wait":-1}"#, "max_batch_wait is -1; allowed"),
        (r#"{"max_batch_wait":0.0001}"#, "max_batch_wait is 0.0001; allowed"),
        (r#"{"max_retries":null}"#, "max_retries is null; allowed"),
        (r#"{"max_retries":101}"#, "max_retries is 101; allowed"),
        (r#"{"retry_delay":0.5}"#, "retry_delay is 0.5; allowed is whole 0 to 43200 seconds"),
        (r#"{"retry_delay":43201}"#, "retry_delay is 43201; allowed"),
        (r#"{"visibility_timeout":0}"#, "visibility_timeout is 0; allowed is 0.1 to 43200 seconds"),
        (r#"{"retention":[4]}"#, "retention is a list; allowed"),
        (r#"{"dead_letter_queue":7}"#, "dead_letter_queue must be the name of a queue"),
        (r#"{"dead_letter_queue":""}"#, "the dead-letter queue \"\" must be"),
    ] {
        let text = refused(&with(settings));
        assert!(text.contains(wanted), "{text}");
    }
    for text in [
        "",
        "[]",
        "{",
        r#"{"queues":[]}"#,
        r#"{"queues":{"Q":7}}"#,
        r#"{"queues":{"":{"store":"s","queue":"q"}}}"#,
        r#"{"queues":{"Q":{"queue":"q"}}}"#,
        r#"{"queues":{"Q":{"store":"","queue":"q"}}}"#,
        r#"{"queues":{"Q":{"store":"s"}}}"#,
        r#"{"queues":{"Q":{"store":"s","queue":"a\nb"}}}"#,
        r#"{"queues":{"Q":{"store":"s","queue":"q","settings":1}}}"#,
        r#"{"grants":[]}"#,
        r#"{"grants":{"QUEUE":"Q"}}"#,
        r#"{"grants":{"QUEUE":[7]}}"#,
        r#"{"grants":{"QUEUE":[""]}}"#,
    ] {
        assert!(refused(text).len() < 300);
    }
}

/// Bindings `Q0`, `Q1` … of (store, queue, dead-letter queue).
fn chain(queues: &[(&str, &str, &str)]) -> Result<Deployment, Error> {
    let entries = queues.iter().enumerate().map(|(n, (store, queue, dead))| {
        format!(
            "\"Q{n}\":{{\"store\":\"{store}\",\"queue\":\"{queue}\",\"settings\":{{\"dead_letter_queue\":\"{dead}\"}}}}"
        )
    });
    Deployment::parse(&format!("{{\"queues\":{{{}}}}}", entries.collect::<Vec<_>>().join(",")))
}

#[test]
fn dead_letter_queues_that_form_a_ring_are_refused() {
    assert!(chain(&[("s", "a", "b"), ("s", "b", "c"), ("s", "x", "c")]).is_ok());
    // The same names in another store are other queues.
    assert!(chain(&[("s", "a", "b"), ("t", "b", "a")]).is_ok());
    for ring in [
        &[("s", "a", "a")][..],
        &[("s", "a", "b"), ("s", "b", "a")],
        &[("s", "x", "a"), ("s", "a", "b"), ("s", "b", "c"), ("s", "c", "a")],
    ] {
        let error = chain(ring).unwrap_err();
        assert!(error.message().contains("lead back to it"), "{error}");
    }
    let mut deployment = chain(&[("s", "a", "b")]).unwrap();
    let back = Binding {
        store: "s".into(),
        queue: "b".into(),
        dead_letter_queue: Some("a".into()),
        settings: Settings::default(),
    };
    let before = deployment.clone();
    assert_eq!(deployment.bind("BACK", back.clone()).unwrap_err().code(), Code::InvalidOptions);
    assert_eq!(deployment, before, "what is refused changes nothing");
    deployment.bind("BACK", Binding { dead_letter_queue: None, ..back }).unwrap();
    deployment.grant("BACK");
    assert!(deployment.binding("BACK").is_ok());
}

#[test]
fn one_queue_under_two_names_has_one_way_of_being_served() {
    let two = |first: &str, second: &str| {
        Deployment::parse(&format!(
            "{{\"queues\":{{\"A\":{{\"store\":\"s\",\"queue\":\"q\"{first}}},\"B\":{{\"store\":\"s\",\"queue\":\"q\"{second}}}}}}}"
        ))
    };
    let (five, six) = (r#","settings":{"max_retries":5}"#, r#","settings":{"max_retries":6}"#);
    for (first, second) in [(five, five), (five, ""), ("", five)] {
        let deployment = two(first, second).unwrap();
        assert_eq!(deployment.configured("A"), deployment.configured("B"));
        assert_eq!(deployment.configured("A").unwrap().settings.max_retries, 5);
    }
    assert!(two("", "").is_ok());
    let error = two(five, six).unwrap_err();
    assert!(error.message().contains("\"A\" and \"B\" are the same queue"), "{error}");
}

#[test]
fn bindings_made_in_code_obey_the_same_rules() {
    let good = Binding {
        store: "s".into(),
        queue: "q".into(),
        dead_letter_queue: None,
        settings: Settings::default(),
    };
    let mut deployment = Deployment::new();
    deployment.bind("Q", good.clone()).unwrap();
    let zero = Settings { max_batch_size: 0, ..Settings::default() };
    for (name, bad) in [
        ("", good.clone()),
        ("X", Binding { queue: String::new(), ..good.clone() }),
        ("X", Binding { store: String::new(), ..good.clone() }),
        ("X", Binding { dead_letter_queue: Some(String::new()), ..good.clone() }),
        ("X", Binding { dead_letter_queue: Some("q".into()), ..good.clone() }),
        ("X", Binding { settings: zero, ..good.clone() }),
        ("X", Binding { settings: Settings { max_retries: 9, ..good.settings }, ..good.clone() }),
    ] {
        assert_eq!(deployment.bind(name, bad).unwrap_err().code(), Code::InvalidOptions);
    }
    // A new binding of the name takes the old one's place, its settings with it.
    let other = Binding { settings: Settings { max_retries: 9, ..good.settings }, ..good };
    deployment.bind("Q", other.clone()).unwrap();
    assert_eq!(deployment.configured("Q"), Ok(&other));
}
