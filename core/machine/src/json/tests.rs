use super::*;
use alloc::{string::String, vec::Vec};

#[test]
fn smoke() {
    let mut out = Vec::new();
    canonical(
        br#" {"b":1.0,"a":[1e2,-0,"\u0041\/"],"10":1,"9":{"a":1,"a":2}}"#,
        &mut out,
        &Limits::VALUE,
    )
    .unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), r#"{"9":{"a":2},"10":1,"a":[100,0,"A/"],"b":1}"#);
    let value: serde_json::Value =
        serde_json::from_str(r#"{"b":1.5,"a":[100,true,null,"A\n"]}"#).unwrap();
    let mut out = Vec::new();
    to_vec(&value, &mut out, &Limits::VALUE).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), r#"{"b":1.5,"a":[100,true,null,"A\n"]}"#);
}
