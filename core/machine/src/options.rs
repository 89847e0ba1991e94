//! Options of every operation: defaults and ranges from the table, and how a wrong one is refused.
//!
//! Durations are milliseconds here. Hosts convert from their own unit before they call `check`.
use crate::{Code, Error, Result};
use alloc::{format, string::String, vec::Vec};

pub use crate::generated::options::{
    DrainOptions, Group, HubOptions, MessagingLimits, RequestManyOptions, RequestOptions,
    Selection, SubscriptionOptions,
};

/// What an option holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A time: milliseconds in the table, its own unit in each language.
    Duration,
    /// A time in milliseconds in every language, as its name says.
    Milliseconds,
    /// A whole number.
    Count,
    /// A number of bytes.
    Bytes,
    /// A part of a whole.
    Ratio,
    /// The options of another group.
    Group(Group),
    /// One text.
    Text,
    /// Several texts.
    List,
    /// A text that must not be shown, or a callback that tells it.
    Secret,
    /// True or false.
    Flag,
    /// A function of the program.
    Callback,
    /// Something that the language holds in its own form.
    Value,
}

/// What the table says of one option, for hosts that set it by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Its name, in the spelling of Rust and Python.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The least number allowed, where it is one.
    pub min: f64,
    /// The greatest number allowed, where it is one.
    pub max: f64,
    /// The languages that have it; all where there is no list.
    pub languages: Option<&'static [&'static str]>,
}

impl Group {
    /// Refuses a name that the group does not know, with the nearest name that it does.
    ///
    /// Upper case, `-` and missing `_` are read as meant, so `peerTimeout` finds `peer_timeout`;
    /// only the exact spelling is accepted.
    pub fn expect(self, name: &str) -> Result<()> {
        let names = self.names();
        if names.contains(&name) {
            return Ok(());
        }
        let hint = match nearest(name, names) {
            Some(near) => format!("; did you mean {near:?}?"),
            None => format!("; known are {}", names.join(", ")),
        };
        Err(Error::new(Code::InvalidOptions, format!("there is no option {name:?}{hint}")))
    }
}

/// The name of `known` that `given` was probably meant to be, if one is near enough.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given = letters(given);
    let scored = known.iter().map(|name| (distance(&given, &letters(name)), *name));
    let (score, name) = scored.min_by_key(|(score, _)| *score)?;
    (score <= given.len().max(3) / 3).then_some(name)
}

fn letters(name: &str) -> Vec<char> {
    // Longer than any name of ours by far: bounds the work on a name from outside.
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-')).take(64).collect();
    plain.to_lowercase().chars().collect()
}

/// How many letters must be added, left out, replaced or swapped with the next one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, right) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(left != right);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *left == b[j - 1] && a[i - 1] == *right {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = core::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Refuses a number out of its range. `unit` follows each number as it stands.
pub(crate) fn in_range(option: &str, given: u64, min: u64, max: u64, unit: &str) -> Result<()> {
    if (min..=max).contains(&given) {
        return Ok(());
    }
    let text = format!("{option} is {given}{unit}; allowed is {min} to {max}{unit}");
    Err(Error::over(Code::InvalidOptions, text, if given < min { min } else { max }, given))
}

/// Refuses a ratio out of its range, and one that is not a number.
pub(crate) fn ratio_in_range(option: &str, given: f64, min: f64, max: f64) -> Result<()> {
    if given >= min && given <= max {
        return Ok(());
    }
    let text = format!("{option} is {given}; allowed is {min} to {max}");
    Err(Error::new(Code::InvalidOptions, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn defaults_pass_their_own_check() {
        HubOptions::default().check().unwrap();
        SubscriptionOptions::default().check().unwrap();
        RequestOptions::default().check().unwrap();
        RequestManyOptions::default().check().unwrap();
        DrainOptions::default().check().unwrap();
    }

    #[test]
    fn a_number_out_of_range_is_refused_by_name() {
        let mut options = HubOptions { timeout_ms: 0, ..HubOptions::default() };
        let error = options.check().unwrap_err();
        assert_eq!(error.code(), Code::InvalidOptions);
        assert_eq!(error.message(), "timeout is 0 ms; allowed is 1 to 2147483647 ms");
        assert_eq!((error.limit(), error.actual()), (Some(1), Some(0)));

        options = HubOptions::default();
        options.messaging.payload_bytes = 1 << 30;
        let text = options.check().unwrap_err().to_string();
        assert!(text.contains("messaging.payload_bytes is 1073741824 bytes"), "{text}");

        options = HubOptions::default();
        options.selection.improvement_ratio = f64::NAN;
        assert!(options.check().unwrap_err().message().contains("improvement_ratio"));
    }

    #[test]
    fn the_peer_time_out_follows_the_time_out() {
        let mut options = HubOptions::default();
        assert_eq!(options.peer_timeout_or_default_ms(), 2_400);
        options.timeout_ms = 1;
        assert_eq!(options.peer_timeout_or_default_ms(), 1);
        options.peer_timeout_ms = Some(7);
        assert_eq!(options.peer_timeout_or_default_ms(), 7);
        options.peer_timeout_ms = Some(0);
        assert!(options.check().unwrap_err().message().starts_with("peer_timeout is 0 ms"));
    }

    #[test]
    fn an_unknown_option_names_the_nearest() {
        for (given, meant) in [
            ("timout", "timeout"),
            ("peerTimeout", "peer_timeout"),
            ("server", "servers"),
            ("max-variables", "max_variables"),
            ("tokne", "token"),
        ] {
            let error = Group::Hub.expect(given).unwrap_err();
            assert_eq!(error.code(), Code::InvalidOptions);
            let text = format!("there is no option {given:?}; did you mean {meant:?}?");
            assert_eq!(error.message(), text);
        }
        Group::Hub.expect("timeout").unwrap();
        let far = Group::Drain.expect("colour").unwrap_err();
        assert_eq!(far.message(), "there is no option \"colour\"; known are timeout");
    }

    #[test]
    fn distance_counts_edits() {
        let of = |a: &str, b: &str| distance(&letters(a), &letters(b));
        assert_eq!(of("", "abc"), 3);
        assert_eq!(of("abc", "abc"), 0);
        assert_eq!(of("abc", "acb"), 1);
        assert_eq!(of("kitten", "sitting"), 3);
    }
}
