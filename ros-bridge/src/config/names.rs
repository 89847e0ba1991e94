//! Which names and texts a configuration may hold.
use posthouse_core::name;

/// Any text that is not empty.
pub fn text(text: &str) -> Result<(), String> {
    if text.is_empty() { Err("is empty".to_owned()) } else { Ok(()) }
}

/// The name of an environment variable.
pub fn environment(text: &str) -> Result<(), String> {
    let mut bytes = text.bytes();
    let head = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if head && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Ok(());
    }
    Err("is no name of an environment variable; use letters, digits and _".to_owned())
}

/// The name of a variable or namespace.
pub fn name(text: &str) -> Result<(), String> {
    said(name::check_name(text))
}

/// A concrete message name.
pub fn channel(text: &str) -> Result<(), String> {
    said(name::check_topic(text))
}

/// A message name or pattern.
pub fn pattern(text: &str) -> Result<(), String> {
    said(name::check_pattern(text))
}

/// A queue group.
pub fn queue(text: &str) -> Result<(), String> {
    said(name::check_queue(text))
}

/// A ROS name: global, relative or private.
pub fn ros_name(text: &str) -> Result<(), String> {
    ros(text, false)
}

/// A ROS name in which `?`, `*` and `**` may stand.
pub fn ros_glob(text: &str) -> Result<(), String> {
    ros(text, true)
}

/// `package/Name`.
pub fn ros_type(text: &str) -> Result<(), String> {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    match text.split_once('/') {
        Some((package, name)) if word(package) && word(name) => Ok(()),
        _ => Err("is no type; write it as package/Name, e.g. sensor_msgs/LaserScan".to_owned()),
    }
}

/// Dotted field names.
pub fn field_path(text: &str) -> Result<(), String> {
    let step = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    if text.split('.').all(step) {
        return Ok(());
    }
    Err("is no path into a message; write field names between dots, e.g. pose.position.x"
        .to_owned())
}

/// A variable's name with `{topic}` and `{1}`, `{2}`, ….
pub fn template(text: &str) -> Result<(), String> {
    name(text)?;
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((word, left)) = after.split_once('}') else {
            return Err("has a { without its }".to_owned());
        };
        if word != "topic" && !word.parse::<usize>().is_ok_and(|n| (1..=9).contains(&n)) {
            return Err(format!(
                "has {{{word}}} in it; what can be put in is {{topic}}, and {{1}} to {{9}} for what the wildcards stood for"
            ));
        }
        rest = left;
    }
    Ok(())
}

fn said(checked: posthouse_core::Result<()>) -> Result<(), String> {
    checked.map_err(|error| format!("is refused: {}", error.message()))
}

fn ros(text: &str, glob: bool) -> Result<(), String> {
    let wild = |b: u8| glob && matches!(b, b'*' | b'?');
    let head = text.bytes().next();
    let begins =
        head.is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'~') || wild(b));
    let body = text
        .bytes()
        .skip(1)
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/') || wild(b));
    let rest = text.strip_prefix('~').unwrap_or(text);
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    if !begins || !body || rest.is_empty() || rest.split('/').any(str::is_empty) {
        let wild = if glob { ", with ?, * and ** as wildcards" } else { "" };
        return Err(format!(
            "is no ROS name; use letters, digits and _ between single slashes{wild}, e.g. /robot/scan"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ros_names() {
        for good in ["/scan", "scan", "~scan", "/a/b_1", "a/b", "/1/x"] {
            assert_eq!(ros_name(good), Ok(()), "{good}");
        }
        for bad in ["", "/", "~", "//a", "/a//b", "/a/", "a b", "/ä", "1a", "_a", "/a*", "/a.b"] {
            assert!(ros_name(bad).is_err(), "{bad}");
        }
        for good in ["/**", "/a/*/b", "*", "/cam?/image"] {
            assert_eq!(ros_glob(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn templates() {
        for good in ["a", "robot.{topic}", "{1}.{2}"] {
            assert_eq!(template(good), Ok(()), "{good}");
        }
        for bad in ["", "{", "{0}", "{10}", "{name}", "{}"] {
            assert!(template(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn types_and_paths() {
        assert_eq!(ros_type("std_msgs/String"), Ok(()));
        for bad in ["String", "a/b/c", "/String", "std_msgs/", "std msgs/String", "1/A"] {
            assert!(ros_type(bad).is_err(), "{bad}");
        }
        assert_eq!(field_path("pose.position.0.x"), Ok(()));
        for bad in ["", ".", "a..b", "a.", "a[0]"] {
            assert!(field_path(bad).is_err(), "{bad}");
        }
    }
}
