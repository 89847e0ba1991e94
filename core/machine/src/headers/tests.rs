use super::*;
use crate::rng::Rng;
use alloc::vec;

fn encoded(headers: &Headers) -> String {
    let mut out = Vec::new();
    headers.encode(&mut out);
    assert_eq!(out.len(), headers.encoded_len());
    String::from_utf8(out).unwrap()
}

fn of(pairs: &[(&str, &str)]) -> Headers {
    let mut headers = Headers::new();
    for (name, value) in pairs {
        headers.append(name, value).unwrap();
    }
    headers
}

#[test]
fn sent_in_lowercase_with_the_values_of_a_key_together() {
    let headers = of(&[("Trace", "1"), ("B", "x"), ("TRACE", " 2  3 "), ("trace", "")]);
    assert_eq!(encoded(&headers), "NATS/1.0\r\ntrace: 1\r\ntrace: 2  3\r\ntrace: \r\nb: x\r\n\r\n");
    assert_eq!(headers.get("tRACE"), Some("1"));
    assert_eq!(headers.get_all("trace").collect::<Vec<_>>(), ["1", "2  3", ""]);
    assert_eq!(headers.get("c"), None);
    let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Trace", "B", "TRACE", "trace"]);
    assert_eq!(headers.len(), 4);
}

#[test]
fn no_headers_are_no_block() {
    assert_eq!(encoded(&Headers::new()), "");
    assert!(Headers::new().is_empty());
}

#[test]
fn insert_replaces_in_place() {
    let mut headers = of(&[("A", "1"), ("b", "2"), ("a", "3")]);
    headers.insert("a", "4").unwrap();
    headers.insert("c", "5").unwrap();
    assert_eq!(headers.iter().collect::<Vec<_>>(), [("a", "4"), ("b", "2"), ("c", "5")]);
    assert_eq!(headers.insert("c", "\n").unwrap_err().code(), Code::InvalidHeaders);
    assert_eq!(headers.len(), 3, "a refused insert changes nothing");
}

#[test]
fn every_byte_is_judged() {
    for byte in 0..=127_u8 {
        let text = char::from(byte).to_string();
        let name_allowed = byte.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(&text);
        assert_eq!(Headers::new().append(&text, "v").is_ok(), name_allowed, "name {byte}");
        let value = format!("a{text}b");
        assert_eq!(
            Headers::new().append("n", &value).is_ok(),
            (0x20..0x7F).contains(&byte),
            "value {byte}"
        );
        let block = format!("NATS/1.0\r\nn: {value}\r\n\r\n");
        assert_eq!(
            Headers::decode(block.as_bytes()).is_ok(),
            (0x20..0x7F).contains(&byte),
            "received {byte}"
        );
    }
    for bad in ["", "é", "a b", "a:b", "名"] {
        assert_eq!(Headers::new().append(bad, "v").unwrap_err().code(), Code::InvalidHeaders);
    }
    for bad in ["é", "\t", "a\r\nb: c", "\0", "😀"] {
        let error = Headers::new().append("token", bad).unwrap_err();
        assert_eq!(error.code(), Code::InvalidHeaders);
        assert!(error.message().contains("\"token\""));
    }
}

#[test]
fn an_error_does_not_show_the_value() {
    let error = Headers::new().append("authorization", "secret\u{1}").unwrap_err();
    assert!(!error.message().contains("secret"), "{error}");
}

#[test]
fn limits_count_entries_and_bytes() {
    let mut headers = Headers::new();
    for _ in 0..32 {
        headers.append("k", "v").unwrap();
    }
    assert_eq!(headers.encoded_len(), 12 + 32 * 6);
    headers.check(&HeaderLimits::DEFAULT).unwrap();
    headers.append("k", "v").unwrap();
    let error = headers.check(&HeaderLimits::DEFAULT).unwrap_err();
    assert_eq!(
        (error.code(), error.limit(), error.actual()),
        (Code::MessageTooLarge, Some(32), Some(33))
    );
    let longest = "x".repeat(4_096 - 12 - 4 - 1);
    of(&[("k", &longest)]).check(&HeaderLimits::DEFAULT).unwrap();
    let error = of(&[("kk", &longest)]).check(&HeaderLimits::DEFAULT).unwrap_err();
    assert_eq!(
        (error.code(), error.limit(), error.actual()),
        (Code::MessageTooLarge, Some(4_096), Some(4_097))
    );
}

#[test]
fn received_names_stay_as_they_are() {
    let block = b"NATS/1.0\r\nX-Trace:1\r\nx-trace:  2 \r\nY:\r\n\r\n";
    let (status, headers) = Headers::decode(block).unwrap();
    assert_eq!(status, None);
    assert_eq!(headers.iter().collect::<Vec<_>>(), [("X-Trace", "1"), ("x-trace", "2"), ("Y", "")]);
    assert_eq!(headers, of(&[("y", ""), ("x-trace", "1"), ("X-TRACE", "2")]));
    assert_ne!(headers, of(&[("y", ""), ("x-trace", "2"), ("X-TRACE", "1")]));
    assert_ne!(headers, of(&[("y", ""), ("y", ""), ("x-trace", "1")]));
}

#[test]
fn status_lines() {
    let good = [
        ("NATS/1.0 503\r\n\r\n", 503, ""),
        ("NATS/1.0 503 No Responders\r\n\r\n", 503, "No Responders"),
        ("NATS/1.0  100  Idle Heartbeat \r\n\r\n", 100, "Idle Heartbeat"),
        ("NATS/1.0 503\r\nNats-Subject: a.b\r\n\r\n", 503, ""),
    ];
    for (block, code, description) in good {
        let (status, headers) = Headers::decode(block.as_bytes()).unwrap();
        let status = status.unwrap();
        assert_eq!((status.code, status.description.as_str()), (code, description), "{block}");
        assert_eq!(headers.is_empty(), !block.contains("Nats-Subject"));
    }
    assert_eq!(Headers::decode(b"NATS/1.0\r\n\r\n").unwrap(), (None, Headers::new()));
    assert_eq!(Headers::decode(b"NATS/1.0 \r\n\r\n").unwrap().0, None);
}

#[test]
fn broken_blocks_are_refused() {
    let bad: Vec<&[u8]> = vec![
        b"",
        b"\r\n\r\n",
        b"NATS/1.0",
        b"NATS/1.0\r\n",
        b"NATS/1.0\n\n",
        b"NATS/1.1\r\n\r\n",
        b"nats/1.0\r\n\r\n",
        b" NATS/1.0\r\n\r\n",
        b"NATS/1.0503\r\n\r\n",
        b"NATS/1.0 50\r\n\r\n",
        b"NATS/1.0 5033\r\n\r\n",
        b"NATS/1.0 abc\r\n\r\n",
        b"NATS/1.0 +50\r\n\r\n",
        b"NATS/1.0\t503\r\n\r\n",
        b"NATS/1.0 503 a\tb\r\n\r\n",
        b"NATS/1.0\r\na: b\r\n",
        b"NATS/1.0\r\na: b",
        b"NATS/1.0\r\na: b\n\r\n\r\n",
        b"NATS/1.0\r\na b: c\r\n\r\n",
        b"NATS/1.0\r\na : c\r\n\r\n",
        b"NATS/1.0\r\n a: c\r\n\r\n",
        b"NATS/1.0\r\n: c\r\n\r\n",
        b"NATS/1.0\r\nabc\r\n\r\n",
        b"NATS/1.0\r\na: b\r\n c\r\n\r\n",
        b"NATS/1.0\r\na: b\r\n\r\n\r\n",
        b"NATS/1.0\r\na: b\r\n\r\nc: d\r\n\r\n",
        b"NATS/1.0\r\na: \xc3\xa9\r\n\r\n",
        b"NATS/1.0\r\na: \xff\r\n\r\n",
        b"NATS/1.0\r\na: b\rc\r\n\r\n",
        b"NATS/1.0\r\na: b\0\r\n\r\n",
    ];
    for block in bad {
        let error = Headers::decode(block).unwrap_err();
        assert_eq!(error.code(), Code::InvalidHeaders, "{}", String::from_utf8_lossy(block));
    }
}

#[test]
fn what_is_sent_is_what_is_received() {
    let mut rng = Rng::new(3);
    for _ in 0..500 {
        let mut headers = Headers::new();
        for _ in 0..rng.below(10) {
            let name = ["a", "A", "b", "X-Y", "x-y", "~!"][rng.below(6) as usize];
            let value: String =
                (0..rng.below(9)).map(|_| char::from(0x20 + rng.below(95) as u8)).collect();
            headers.append(name, &value).unwrap();
        }
        let block = encoded(&headers);
        if headers.is_empty() {
            continue;
        }
        let (status, back) = Headers::decode(block.as_bytes()).unwrap();
        assert_eq!(status, None);
        assert_eq!(back, headers);
        assert_eq!(encoded(&back), block);
    }
}

#[test]
fn any_cut_or_changed_byte_is_survived() {
    let mut rng = Rng::new(4);
    let block = b"NATS/1.0 503 No Responders\r\nab: cd\r\nAb: \r\n\r\n";
    for cut in 0..block.len() {
        assert!(Headers::decode(&block[..cut]).is_err(), "{cut}");
    }
    for _ in 0..20_000 {
        let mut block = block.to_vec();
        let at = rng.below(block.len() as u64) as usize;
        block[at] = rng.below(256) as u8;
        if let Ok((_, headers)) = Headers::decode(&block) {
            assert!(headers.iter().all(|(name, value)| checked(name, value).is_ok()));
        }
    }
}
