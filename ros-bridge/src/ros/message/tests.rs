//! Syntax, errors and bounds; that checksums and texts are those of ROS's generator is shown in `tests/every_type.rs`.
use super::*;
use crate::ros::Code;
use std::fmt::Write as _;

fn parse(text: &str) -> Result<Definition, String> {
    parse_message("pkg/T", text, "T.msg").map_err(|error| {
        assert_eq!(error.code, Code::TypeInvalid);
        error.message
    })
}

#[test]
fn fields_of_every_form_are_read() {
    let text = "bool a\n  uint8[]  b # c\nstring[3] c\n\tfloat64\td\nHeader header\nHeader[] e\nOther f\nq/R[7] g\nbyte h\nchar i\n\n#\n";
    let fields: Vec<_> =
        parse(text).unwrap().fields.into_iter().map(|it| (it.name, it.base, it.array)).collect();
    let message = |name: &str| Base::Message(name.to_owned());
    let wanted = [
        ("a", Base::Bool, Array::No),
        ("b", Base::U8, Array::Any),
        ("c", Base::Text, Array::Fixed(3)),
        ("d", Base::F64, Array::No),
        ("header", message("std_msgs/Header"), Array::No),
        ("e", message("pkg/Header"), Array::Any),
        ("f", message("pkg/Other"), Array::No),
        ("g", message("q/R"), Array::Fixed(7)),
        ("h", Base::I8, Array::No),
        ("i", Base::U8, Array::No),
    ];
    assert_eq!(fields, wanted.map(|(name, base, array)| (name.to_owned(), base, array)));
}

#[test]
fn constants_of_every_type_are_read() {
    for (line, name, value) in [
        ("bool X=True", "X", Literal::Bool(true)),
        ("bool X = 0", "X", Literal::Bool(false)),
        ("byte X=-128", "X", Literal::Integer(-128)),
        ("char X=255", "X", Literal::Integer(255)),
        ("uint64 X=18446744073709551615", "X", Literal::Integer(u64::MAX.into())),
        ("int32 X = +1_000 # many", "X", Literal::Integer(1000)),
        ("float32 X=-.5e1", "X", Literal::Float(-5.0)),
        ("float64 _X=1.", "_X", Literal::Float(1.0)),
        ("string X=  a # b = c  ", "X", Literal::Text("a # b = c".to_owned())),
        ("string X=", "X", Literal::Text(String::new())),
    ] {
        let read = parse(line).unwrap();
        assert_eq!((&*read.constants[0].name, &read.constants[0].value), (name, &value), "{line}");
        assert!(read.fields.is_empty());
    }
}

#[test]
fn an_error_names_the_file_and_the_line() {
    for (line, said) in [
        ("int32", "type and a name"),
        ("int32 a b", "type and a name"),
        ("int32 1a", "no field name"),
        ("int32 ä", "no field name"),
        ("3d x", "no type"),
        ("a/b/c x", "no type"),
        ("int32[ x", "no array"),
        ("int32[][] x", "no array"),
        ("int32[-1] x", "no array"),
        ("int32[99999999999] x", "too long"),
        ("int32 good", "two fields good"),
        ("int8 X=128", "not within"),
        ("uint8 X=-1", "not within"),
        ("int32 X=0x10", "whole number"),
        ("int32 X=1.5", "whole number"),
        ("int32 X=", "whole number"),
        ("float32 X=abc", "no number"),
        ("bool X=maybe", "no bool"),
        ("time X=1", "no type of a constant"),
        ("Other X=1", "no type of a constant"),
        ("int32 X=1=2", "two ="),
        ("int32 =1", "no constant"),
    ] {
        let error = parse(&format!("# first\nint32 good\n{line}\n")).unwrap_err();
        assert!(error.starts_with("T.msg, line 3: "), "{line}: {error}");
        assert!(error.contains(said), "{line}: {error}");
    }
    let error = parse_service("p/S", "int32 a\n---\nint32 b\nint32\n", "S.srv").unwrap_err();
    assert!(error.message.starts_with("S.srv, line 4: "), "{error}");
}

#[test]
fn names_of_types_are_checked_before_any_file_is_opened() {
    let library = Library::new(Vec::new());
    for name in ["String", "../etc/passwd", "std_msgs/../x", "/x", "a/", "a/b/c", "a b/c", ""] {
        let error = library.message(name).unwrap_err();
        assert_eq!(error.code, Code::TypeUnknown, "{name}");
        assert!(error.message.contains("package/Name"), "{error}");
    }
    let error = library.message("none_such/Thing").unwrap_err();
    assert!(error.message.contains("none_such/msg/Thing.msg"), "{error}");
}

fn full(name: &str, text: &str) -> Result<Schema, String> {
    Schema::from_full_text(name, text).map_err(|error| error.message)
}

#[test]
fn what_is_sent_along_is_all_that_is_needed() {
    let split = "=".repeat(80);
    let text = format!("B b\nC[] c\n{split}\nMSG: p/B\nC c\n{split}\nMSG: p/C\nint32 n\n");
    let schema = full("p/A", &text).unwrap();
    let names: Vec<_> = schema.types().iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["p/A", "p/B", "p/C"]);
    assert_eq!(schema.full_text(), text);
    let error = full("p/A", &format!("B b\n{split}\nMSG: p/C\nint32 n\n")).unwrap_err();
    assert!(error.contains("p/B") && error.contains("p/A.b"), "{error}");
}

#[test]
fn types_cannot_contain_themselves_or_grow_without_bound() {
    let split = "=".repeat(80);
    for text in [
        "A a\n".to_owned(),
        format!("B b\n{split}\nMSG: p/B\nA[] a\n"),
        format!("B b\n{split}\nMSG: p/B\nB b\n"),
    ] {
        assert!(full("p/A", &text).unwrap_err().contains("contain itself"), "{text}");
    }
    let chain = |length: usize| {
        let mut text = "T0 t\n".to_owned();
        for number in 0..length {
            let _ = write!(text, "{split}\nMSG: p/T{number}\nT{} t\n", number + 1);
        }
        let _ = write!(text, "{split}\nMSG: p/T{length}\n");
        text
    };
    full("p/A", &chain(MAX_DEPTH - 1)).unwrap();
    assert!(full("p/A", &chain(MAX_DEPTH)).unwrap_err().contains("nested deeper"));
    // Twice the same below each: two to the power of forty ways, forty types.
    let mut wide = "T0 a\nT0 b\n".to_owned();
    for number in 0..40 {
        let _ = write!(wide, "{split}\nMSG: p/T{number}\nT{0} a\nT{0} b\n", number + 1);
    }
    let _ = write!(wide, "{split}\nMSG: p/T40\nint8 n\n");
    let schema = full("p/A", &wide).unwrap();
    assert_eq!((schema.types().len(), schema.md5().len()), (42, 32));
    crate::ros::Layout::new(&schema).unwrap();

    let mut many = String::new();
    for number in 0..=MAX_MEMBERS {
        let _ = writeln!(many, "int8 f{number}");
    }
    assert!(parse(&many).unwrap_err().contains("fields and constants"));
    assert!(parse(&"#".repeat(MAX_TEXT + 1)).unwrap_err().contains("at most"));
}
