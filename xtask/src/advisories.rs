//! Known faults of dependencies, from the list in `advisories.toml`, against Cargo.lock.
use crate::{Outcome, cargo};
use semver::{Version, VersionReq};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    reviewed: String,
    advisory: Vec<Advisory>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advisory {
    id: String,
    #[serde(rename = "crate")]
    name: String,
    what: String,
    patched: Vec<VersionReq>,
    #[serde(default)]
    unaffected: Vec<VersionReq>,
}

/// Fails where a locked version has a known fault.
pub fn run() -> Outcome {
    let list: List = toml::from_str(include_str!("../advisories.toml"))
        .map_err(|error| format!("xtask/advisories.toml: {error}"))?;
    let mut hits = Vec::new();
    for package in cargo::packages()?.iter().filter(|package| package.source.is_some()) {
        let version = Version::parse(&package.version)
            .map_err(|error| format!("{} {}: {error}", package.name, package.version))?;
        for advisory in list.advisory.iter().filter(|advisory| advisory.name == package.name) {
            if advisory.hits(&version) {
                hits.push(format!(
                    "{} {version}: {} ({})",
                    package.name, advisory.what, advisory.id
                ));
            }
        }
    }
    if hits.is_empty() {
        println!(
            "none of {} known faults is locked in; reviewed {}",
            list.advisory.len(),
            list.reviewed
        );
        return Ok(());
    }
    Err(format!("dependencies with known faults; update them:\n  {}", hits.join("\n  ")))
}

impl Advisory {
    fn hits(&self, version: &Version) -> bool {
        !self.patched.iter().chain(&self.unaffected).any(|range| range.matches(version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_hits_unless_some_range_clears_it() {
        let text = "id = 'X'\ncrate = 'x'\nwhat = 'w'\npatched = ['>=1.4', '>=1.2.3, <1.3']\nunaffected = ['<1.1']";
        let advisory: Advisory = toml::from_str(text).unwrap();
        for (version, hit) in [
            ("1.0.9", false),
            ("1.1.0", true),
            ("1.2.2", true),
            ("1.2.3", false),
            ("1.3.0", true),
            ("1.4.0", false),
        ] {
            assert_eq!(advisory.hits(&Version::parse(version).unwrap()), hit, "{version}");
        }
    }
}
