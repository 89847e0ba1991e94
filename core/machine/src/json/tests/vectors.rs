//! Numbers, strings and key order as a JavaScript engine has them.
use super::*;
use alloc::format;

#[test]
fn numbers_are_what_the_engine_says() {
    let rows: Vec<(String, Option<String>)> =
        serde_json::from_str(include_str!("../../../tests/vectors/numbers.json")).unwrap();
    assert!(rows.len() > 2_000);
    for (text, wanted) in rows {
        let Some(wanted) = wanted else {
            for text in [text.clone(), format!("[{text}]"), format!("{{\"a\":{text} }}")] {
                let result = validate(text.as_bytes(), &Limits::VALUE);
                assert_eq!(fault(result), Some(Fault::Number), "{text}");
                let error = rewritten(canonical, text.as_bytes()).unwrap_err();
                assert_eq!(error.fault, Fault::Number, "{text}");
            }
            continue;
        };
        validate(text.as_bytes(), &Limits::VALUE).unwrap();
        assert_eq!(rewritten(canonical, text.as_bytes()).as_ref(), Ok(&wanted), "{text}");
        assert_eq!(rewritten(normalize, text.as_bytes()).as_ref(), Ok(&wanted), "{text}");
        assert_eq!(rewritten(canonical, wanted.as_bytes()).as_ref(), Ok(&wanted), "{text}");
        let number: f64 = wanted.parse().unwrap();
        let mut out = Vec::new();
        to_vec(&number, &mut out, &Limits::VALUE).unwrap();
        assert_eq!(out, wanted.as_bytes());
        out.clear();
        to_vec(&-number, &mut out, &Limits::VALUE).unwrap();
        let negative = match wanted.strip_prefix('-') {
            Some(rest) => rest.into(),
            None if wanted == "0" => wanted,
            None => format!("-{wanted}"),
        };
        assert_eq!(out, negative.as_bytes());
    }
}

#[test]
fn strings_and_key_order_are_what_the_engine_says() {
    let rows: Vec<[String; 3]> =
        serde_json::from_str(include_str!("../../../tests/vectors/values.json")).unwrap();
    assert!(rows.len() >= 300);
    for [text, as_met, sorted] in rows {
        validate(text.as_bytes(), &Limits::VALUE).unwrap();
        assert_eq!(rewritten(normalize, text.as_bytes()).as_ref(), Ok(&as_met), "{text}");
        assert_eq!(rewritten(normalize, as_met.as_bytes()).as_ref(), Ok(&as_met), "{text}");
        assert_eq!(rewritten(canonical, text.as_bytes()).as_ref(), Ok(&sorted), "{text}");
        assert_eq!(rewritten(canonical, as_met.as_bytes()).as_ref(), Ok(&sorted), "{text}");
        assert_eq!(rewritten(canonical, sorted.as_bytes()).as_ref(), Ok(&sorted), "{text}");
    }
}

#[test]
fn utf16_order_is_that_of_the_code_units() {
    let mut rng = crate::rng::Rng::new(5);
    let alphabet = [
        "a",
        "é",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{ffff}",
        "\u{10000}",
        "😀",
        "\u{10ffff}",
        "\"",
        "\\",
        "\n",
        "\u{1}",
        "!",
        "~",
    ];
    let mut word = || -> String {
        (0..rng.below(4)).map(|_| alphabet[rng.below(alphabet.len() as u64) as usize]).collect()
    };
    for _ in 0..20_000 {
        let (a, b) = (word(), word());
        let escaped = |text: &str| {
            let mut out = Vec::new();
            super::super::escape::push_escaped(text.as_bytes(), &mut out);
            out
        };
        let wanted = a.encode_utf16().cmp(b.encode_utf16());
        assert_eq!(super::super::order::utf16(&escaped(&a), &escaped(&b)), wanted, "{a:?} {b:?}");
    }
}
