//! Licences of every dependency, on every platform, against the list in `deny.toml`.
use crate::{Outcome, cargo, root::root};
use serde::Deserialize;
use std::fs;

#[derive(Deserialize)]
struct Policy {
    licenses: Licences,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

/// Fails where a dependency's licence cannot be met from the allowed ones.
pub fn run() -> Outcome {
    let text =
        fs::read_to_string(root().join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
    let policy: Policy = toml::from_str(&text).map_err(|error| format!("deny.toml: {error}"))?;
    let packages = cargo::packages()?;
    let mut refused = Vec::new();
    for package in &packages {
        let ok = match package.license.as_deref() {
            Some(expression) => allowed(expression, &policy.licenses.allow)?,
            None => false,
        };
        if !ok {
            let licence = package.license.as_deref().unwrap_or("none stated");
            refused.push(format!("{} {}: {licence}", package.name, package.version));
        }
    }
    if refused.is_empty() {
        println!("licences of {} packages are allowed", packages.len());
        return Ok(());
    }
    Err(format!("licences that deny.toml does not allow:\n  {}", refused.join("\n  ")))
}

/// Whether an SPDX expression can be met with allowed licences alone.
fn allowed(expression: &str, allow: &[String]) -> Result<bool, String> {
    // Old manifests write `A/B` for `A OR B`.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any_of(&mut words, allow);
    match (met, words.next()) {
        (Some(met), None) => Ok(met),
        _ => Err(format!("cannot read the licence expression {expression:?}")),
    }
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allow: &[String]) -> Option<bool> {
    let mut met = all_of(words, allow)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allow)?;
    }
    Some(met)
}

fn all_of(words: &mut Words<'_>, allow: &[String]) -> Option<bool> {
    let mut met = one(words, allow)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allow)?;
    }
    Some(met)
}

fn one(words: &mut Words<'_>, allow: &[String]) -> Option<bool> {
    if words.next_if_eq(&"(").is_some() {
        let met = any_of(words, allow)?;
        return words.next_if_eq(&")").map(|_| met);
    }
    let mut name = words.next_if(|word| !matches!(*word, "OR" | "AND" | "WITH" | ")"))?.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next()?);
    }
    Some(allow.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_from_the_list() {
        let allow = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for (expression, met) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT/GPL-3.0", true),
            ("GPL-3.0 OR (MIT AND Zlib)", true),
            ("MIT AND GPL-3.0", false),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("(GPL-3.0 OR MIT) AND Zlib", true),
        ] {
            assert_eq!(allowed(expression, &allow), Ok(met), "{expression}");
        }
        for broken in ["", "MIT OR", "(MIT", "MIT Zlib"] {
            assert!(allowed(broken, &allow).is_err(), "{broken}");
        }
    }
}
