//! The index: every rule of `docs/contract.md` has a scenario that shows it, or a written reason why
//! no scenario can.
//!
//! A rule is a bold number at the beginning of a line or list item, such as `**M12**`. Scenarios name
//! the rules they show, `index/not-shown.toml` gives the reasons; this compares the three.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::scenario::Scenario;

/// The index in both directions.
pub struct Index {
    rules: Vec<String>,
    shown: BTreeMap<String, Vec<String>>,
    reasons: BTreeMap<String, String>,
}

impl Index {
    /// Reads the contract and the reasons.
    pub fn load(contract: &Path, reasons: &Path, scenarios: &[Scenario]) -> Result<Self, String> {
        let read =
            |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
        let reasons =
            toml::from_str(&read(reasons)?).map_err(|e| format!("{}: {e}", reasons.display()))?;
        let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for scenario in scenarios {
            for rule in &scenario.rules {
                shown.entry(rule.clone()).or_default().push(scenario.name.clone());
            }
        }
        Ok(Self { rules: rules_of(&read(contract)?), shown, reasons })
    }

    /// What is wrong with it; empty if nothing is.
    pub fn faults(&self, scenarios: &[Scenario]) -> Vec<String> {
        let known: BTreeSet<_> = self.rules.iter().collect();
        let mut faults = Vec::new();
        for pair in sorted(&self.rules).windows(2).filter(|pair| pair[0] == pair[1]) {
            faults.push(format!("the contract has two rules {}", pair[0]));
        }
        for rule in &self.rules {
            match (self.shown.get(rule), self.reasons.get(rule)) {
                (None, None) => {
                    faults.push(format!("{rule}: no scenario shows it, and no reason says why"));
                }
                (Some(by), Some(_)) => {
                    faults.push(format!("{rule}: {} shows it, so it needs no reason", by[0]));
                }
                _ => {}
            }
        }
        for (rule, by) in self.shown.iter().filter(|(rule, _)| !known.contains(rule)) {
            faults.push(format!(
                "{}: it shows {rule}, which the contract does not have",
                by.join(", ")
            ));
        }
        for rule in self.reasons.keys().filter(|rule| !known.contains(rule)) {
            faults.push(format!("not-shown.toml: the contract has no rule {rule}"));
        }
        for scenario in scenarios.iter().filter(|scenario| scenario.rules.is_empty()) {
            faults.push(format!("{}: it shows no rule", scenario.name));
        }
        faults
    }

    /// Prints each rule with what shows it.
    pub fn print(&self) {
        for rule in &self.rules {
            match (self.shown.get(rule), self.reasons.get(rule)) {
                (Some(by), _) => println!("{rule:5} {}", by.join(", ")),
                (None, Some(why)) => println!("{rule:5} not shown: {why}"),
                (None, None) => println!("{rule:5} UNMAPPED"),
            }
        }
        let shown = self.rules.iter().filter(|rule| self.shown.contains_key(*rule)).count();
        println!("{} rules, {shown} shown, {} with a reason", self.rules.len(), self.reasons.len());
    }
}

fn sorted(rules: &[String]) -> Vec<&String> {
    let mut rules: Vec<_> = rules.iter().collect();
    rules.sort();
    rules
}

/// The numbers in the order of the page.
fn rules_of(contract: &str) -> Vec<String> {
    contract
        .lines()
        .filter_map(|line| {
            line.trim_start_matches(['-', '|', ' ']).strip_prefix("**")?.split_once("**")
        })
        .map(|(number, _)| number.trim_end_matches('.').to_owned())
        .filter(|number| {
            let letters = number.trim_end_matches(|c: char| c.is_ascii_digit());
            !letters.is_empty()
                && letters.len() < number.len()
                && letters.chars().all(|c| c.is_ascii_uppercase())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_bold_numbers_at_the_beginning() {
        let page = "# Title\n- **V1** One.\n- **V2.** Two, see **V1**.\n**Note** no rule\n| **E10** | x |\n";
        assert_eq!(rules_of(page), ["V1", "V2", "E10"]);
    }

    #[test]
    fn unmapped_dangling_and_doubled_rules_are_faults() {
        let index = Index {
            rules: vec!["V1".into(), "V2".into(), "V3".into()],
            shown: BTreeMap::from([
                ("V1".into(), vec!["s".into()]),
                ("X9".into(), vec!["s".into()]),
            ]),
            reasons: BTreeMap::from([("V1".into(), "r".into()), ("V3".into(), "r".into())]),
        };
        assert_eq!(index.faults(&[]).len(), 3);
    }
}
