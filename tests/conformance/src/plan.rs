//! What is to be run: every scenario with every agent, or every ordered pair, on every broker.
use crate::{language::Language, scenario::Scenario};

/// One run of one scenario.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Index into the scenarios.
    pub scenario: usize,
    /// The kind of broker.
    pub broker: String,
    /// The language at each slot, as an index into the languages.
    pub cast: Vec<usize>,
}

/// How a run of a scenario ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As the scenario says.
    Passed,
    /// Otherwise: where and why.
    Failed(String),
    /// Not run, for a reason that is written down.
    Skipped(String),
}

/// All cells, scenario by scenario.
pub fn cells(scenarios: &[Scenario], languages: &[Language], brokers: &[String]) -> Vec<Cell> {
    let mut all = Vec::new();
    for (index, scenario) in scenarios.iter().enumerate() {
        for broker in brokers.iter().filter(|kind| scenario.brokers.contains(kind)) {
            for cast in casts(scenario.slots().len(), languages.len()) {
                all.push(Cell { scenario: index, broker: broker.clone(), cast });
            }
        }
    }
    all
}

/// Every way to fill the slots: with one slot each language, with more each ordered choice, where a
/// third and later slot repeat the first.
fn casts(slots: usize, languages: usize) -> Vec<Vec<usize>> {
    match slots {
        0 => vec![vec![]],
        1 => (0..languages).map(|first| vec![first]).collect(),
        _ => (0..languages)
            .flat_map(|first| (0..languages).map(move |second| (first, second)))
            .map(|(first, second)| {
                (0..slots).map(|slot| if slot == 1 { second } else { first }).collect()
            })
            .collect(),
    }
}

/// Why a cell need not be run, where a language's expectations say so.
pub fn excuse(scenario: &Scenario, languages: &[Language], cast: &[usize]) -> Option<String> {
    cast.iter().map(|&index| &languages[index]).find_map(|language| {
        let lacking = scenario.needs.iter().find_map(|need| language.lacks.get(need));
        let why = language.excuse(&scenario.name).or(lacking.map(String::as_str))?;
        Some(format!("{}: {why}", language.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_ordered_and_hold_every_language_with_itself() {
        assert_eq!(casts(1, 2), [vec![0], vec![1]]);
        assert_eq!(casts(2, 2), [vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]]);
        assert_eq!(casts(3, 2)[1], [0, 1, 0]);
    }
}
