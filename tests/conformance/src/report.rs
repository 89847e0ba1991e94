//! The table of scenarios × brokers × agents, the failures in full, and the closing line.
use std::collections::{BTreeMap, BTreeSet};

use crate::{
    language::Language,
    plan::{Cell, Outcome},
    scenario::Scenario,
};

/// Prints everything; `true` if nothing failed.
pub fn print(scenarios: &[Scenario], languages: &[Language], results: &[(Cell, Outcome)]) -> bool {
    let column = |cell: &Cell| -> (String, String) {
        let cast: Vec<_> =
            cell.cast.iter().take(2).map(|&index| languages[index].name.as_str()).collect();
        (cell.broker.clone(), cast.join("+"))
    };
    let columns: BTreeSet<_> = results.iter().map(|(cell, _)| column(cell)).collect();
    let mut rows: BTreeMap<usize, BTreeMap<(String, String), &Outcome>> = BTreeMap::new();
    for (cell, outcome) in results {
        rows.entry(cell.scenario).or_default().insert(column(cell), outcome);
    }
    let width = rows.keys().map(|&index| scenarios[index].name.len()).max().unwrap_or(8).max(8);
    println!("{:width$}  columns:", "scenario");
    for (number, (broker, cast)) in columns.iter().enumerate() {
        println!("{:width$}  {:>3} = {broker} × {cast}", "", number + 1);
    }
    print!("{:width$}  ", "");
    for number in 1..=columns.len() {
        print!("{number:>4}");
    }
    println!();
    for (index, row) in &rows {
        print!("{:width$}  ", scenarios[*index].name);
        for key in &columns {
            print!("{:>4}", mark(row.get(key).copied()));
        }
        println!();
    }
    println!();
    let mut skips: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut passed, mut failed) = (0, 0);
    for (cell, outcome) in results {
        let name = scenarios[cell.scenario].name.as_str();
        match outcome {
            Outcome::Passed => passed += 1,
            Outcome::Skipped(why) => *skips.entry((name, why)).or_default() += 1,
            Outcome::Failed(why) => {
                failed += 1;
                let (broker, cast) = column(cell);
                println!("FAILED {name} on {broker} with {cast}\n  {why}\n");
            }
        }
    }
    for ((name, why), count) in &skips {
        println!("skipped {name} ({count}): {why}");
    }
    println!("{passed} passed, {failed} failed, {} skipped", skips.values().sum::<usize>());
    failed == 0
}

fn mark(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        None => "·",
        Some(Outcome::Passed) => "ok",
        Some(Outcome::Failed(_)) => "FAIL",
        Some(Outcome::Skipped(_)) => "skip",
    }
}
