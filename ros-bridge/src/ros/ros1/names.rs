//! Names in a graph: global, relative and private, and the remaps that arguments give.
use crate::ros::{Code, Error, Result};
use std::collections::HashMap;

/// The longest name, in bytes.
const MAX_NAME: usize = 4096;

/// Turns names into full ones.
#[derive(Clone, Debug)]
pub struct Names {
    namespace: String,
    node: String,
    remaps: HashMap<String, String>,
}

impl Names {
    /// Names as the node `name` in `namespace` uses them; `remaps` are pairs of names of any kind, applied to
    /// what the left one stands for.
    pub fn new(namespace: &str, name: &str, remaps: &[(String, String)]) -> Result<Self> {
        let namespace = plain(&format!("/{namespace}"));
        check(&namespace)?;
        if name.is_empty() || name.contains(['/', '~']) {
            return Err(invalid(name, "a node's name is one word, without / and ~"));
        }
        check(name)?;
        let node = plain(&format!("{namespace}/{name}"));
        let mut names = Self { namespace, node, remaps: HashMap::new() };
        let mut resolved = HashMap::new();
        for (from, to) in remaps {
            resolved.insert(names.full(from)?, names.full(to)?);
        }
        names.remaps = resolved;
        Ok(names)
    }

    /// Full name of the node.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The namespace of the node, `/` for none.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The full name that `name` stands for, remaps applied.
    pub fn resolve(&self, name: &str) -> Result<String> {
        let full = self.full(name)?;
        Ok(self.remaps.get(&full).cloned().unwrap_or(full))
    }

    /// The full name without remaps.
    fn full(&self, name: &str) -> Result<String> {
        check(name)?;
        Ok(match name.strip_prefix('~') {
            Some(private) => plain(&format!("{}/{private}", self.node)),
            None if name.starts_with('/') => plain(name),
            None => plain(&format!("{}/{name}", self.namespace)),
        })
    }
}

/// One `/` between words and none at the end.
fn plain(name: &str) -> String {
    let words: Vec<&str> = name.split('/').filter(|word| !word.is_empty()).collect();
    format!("/{}", words.join("/"))
}

fn check(name: &str) -> Result<()> {
    let body = name.strip_prefix('~').unwrap_or(name);
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(invalid(name, "a name has 1 to 4096 bytes"));
    }
    let starts_well = body
        .trim_start_matches('/')
        .starts_with(|c: char| c.is_ascii_alphabetic() || (c == '_' && body.contains('/')));
    if !starts_well && !body.trim_start_matches('/').is_empty() {
        return Err(invalid(name, "a name starts with a letter, / or ~"));
    }
    match body.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '/')) {
        None => Ok(()),
        Some(c) => Err(invalid(
            name,
            &format!("{c:?} is not allowed: a name has letters, digits, _ and / only"),
        )),
    }
}

fn invalid(name: &str, why: &str) -> Error {
    let shown: String = name.chars().take(80).collect();
    Error::new(Code::SettingInvalid, format!("{shown:?} is no name of ROS: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let remaps = [("chatter", "/robot/chat"), ("~in", "points"), ("/abs", "rel")]
            .map(|(from, to)| (from.to_owned(), to.to_owned()));
        Names::new("ns", "bridge", &remaps).unwrap()
    }

    #[test]
    fn every_kind_of_name_has_its_full_one() {
        let names = names();
        assert_eq!(names.node(), "/ns/bridge");
        for (name, full) in [
            ("/a/b", "/a/b"),
            ("a/b", "/ns/a/b"),
            ("~a", "/ns/bridge/a"),
            ("~/a", "/ns/bridge/a"),
            ("/a//b/", "/a/b"),
            ("/", "/"),
        ] {
            assert_eq!(names.resolve(name).unwrap(), full, "{name}");
        }
        let global = Names::new("/", "n", &[]).unwrap();
        assert_eq!((global.node(), global.resolve("x").unwrap().as_str()), ("/n", "/x"));
    }

    #[test]
    fn remaps_apply_to_full_names() {
        let names = names();
        for (name, full) in [
            ("chatter", "/robot/chat"),
            ("/ns/chatter", "/robot/chat"),
            ("~in", "/ns/points"),
            ("/ns/bridge/in", "/ns/points"),
            ("/abs", "/ns/rel"),
            ("/chatter", "/chatter"),
        ] {
            assert_eq!(names.resolve(name).unwrap(), full, "{name}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let names = names();
        for name in ["", "a b", "1a", "a-b", "ä", "a~b", "~~a", &"a".repeat(5000)] {
            let error = names.resolve(name).unwrap_err();
            assert_eq!(error.code, Code::SettingInvalid, "{name}");
        }
        for name in ["", "/a", "a/b", "~a", "a b"] {
            assert!(Names::new("/", name, &[]).is_err(), "{name}");
        }
    }
}
