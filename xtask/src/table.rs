//! `core/machine/api.toml`, read and checked: what it may say and what must hold between its parts.
mod operations;

pub use operations::{Operation, Page, Parameter};

use crate::root::root;
use serde::Deserialize;
use std::{collections::HashSet, fs};

/// The whole table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The files of `core/machine/api`, in the order of their pages.
    #[serde(rename = "pages")]
    page_names: Vec<String>,
    /// What every operation that can fail may also give.
    pub common_errors: Vec<String>,
    #[serde(rename = "platform")]
    pub platforms: Vec<Platform>,
    #[serde(rename = "code")]
    pub codes: Vec<Code>,
    #[serde(rename = "limit")]
    pub limits: Vec<Limit>,
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
    pub environment: Vec<Variable>,
    #[serde(skip)]
    pub pages: Vec<Page>,
}

/// Somewhere that has a surface of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    pub name: String,
    pub title: String,
    pub language: String,
}

/// An error code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    pub name: String,
    pub meaning: String,
    pub action: String,
}

/// A number of the contract that no option changes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub name: String,
    pub value: u64,
    pub unit: String,
    pub doc: String,
    pub source: String,
}

/// The options that one operation takes together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub name: String,
    #[serde(rename = "struct")]
    pub type_name: Option<String>,
    pub doc: String,
    #[serde(rename = "option")]
    pub options: Vec<Opt>,
}

/// One option.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opt {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: Kind,
    pub default: Option<Default>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub percent_of: Option<String>,
    pub percent: Option<u64>,
    pub group: Option<String>,
    #[serde(default)]
    pub raw_milliseconds: bool,
    pub languages: Option<Vec<String>>,
    /// How Rust's builder of a hub takes it, where it is no field of the numbers.
    pub rust: Option<String>,
    pub doc: String,
}

/// What an option holds.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Duration,
    Count,
    Bytes,
    Ratio,
    Group,
    Text,
    List,
    Secret,
    Flag,
    Callback,
    Value,
}

/// A default: a number for the kinds that the machine holds, words for the others.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Default {
    Number(f64),
    Words(String),
}

/// An environment variable.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub name: String,
    pub doc: String,
}

impl Kind {
    /// Whether the machine holds it as a number.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Duration | Self::Count | Self::Bytes | Self::Ratio)
    }
    /// The word used in the reference pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
            Self::Group => "group",
            Self::Text => "text",
            Self::List => "list",
            Self::Secret => "secret",
            Self::Flag => "flag",
            Self::Callback => "callback",
            Self::Value => "value",
        }
    }
}

impl Opt {
    /// The default, where it is a number.
    pub fn number(&self) -> Option<f64> {
        match self.default {
            Some(Default::Number(number)) => Some(number),
            _ => None,
        }
    }
    /// Whether a language has this option.
    pub fn is_in(&self, language: &str) -> bool {
        self.languages.as_ref().is_none_or(|list| list.iter().any(|name| name == language))
    }
}

impl Table {
    /// Reads the table and refuses one that contradicts itself.
    pub fn read() -> Result<Self, String> {
        let path = root().join("core/machine/api.toml");
        let text =
            fs::read_to_string(&path).map_err(|error| format!("core/machine/api.toml: {error}"))?;
        let mut table: Self =
            toml::from_str(&text).map_err(|error| format!("core/machine/api.toml: {error}"))?;
        table.pages =
            table.page_names.iter().map(|name| Page::read(name)).collect::<Result<_, _>>()?;
        table.check().map_err(|what| format!("core/machine/api.toml: {what}"))?;
        operations::check(&table).map_err(|what| format!("core/machine/api: {what}"))?;
        Ok(table)
    }

    /// The group of that name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// How messages call an option: with its group in front where the group is held by another.
    pub fn path(&self, group: &Group, option: &Opt) -> String {
        let held = self.groups.iter().flat_map(|other| &other.options);
        if held.into_iter().any(|holder| holder.group.as_deref() == Some(&group.name)) {
            format!("{}.{}", group.name, option.name)
        } else {
            option.name.clone()
        }
    }

    fn check(&self) -> Result<(), String> {
        distinct("code", self.codes.iter().map(|code| &code.name))?;
        distinct("limit", self.limits.iter().map(|limit| &limit.name))?;
        distinct("group", self.groups.iter().map(|group| &group.name))?;
        for group in &self.groups {
            distinct(&group.name, group.options.iter().map(|option| &option.name))?;
            for option in &group.options {
                self.check_option(group, option)
                    .map_err(|what| format!("{}.{}: {what}", group.name, option.name))?;
            }
        }
        Ok(())
    }

    fn check_option(&self, group: &Group, option: &Opt) -> Result<(), String> {
        if option.kind == Kind::Group {
            let held = option.group.as_deref().and_then(|name| self.group(name));
            return held.map(|_| ()).ok_or_else(|| "names no group of the table".to_owned());
        }
        if !option.kind.is_number() {
            return match option.default {
                Some(Default::Number(_)) => Err("a number, but its type is none".to_owned()),
                _ => Ok(()),
            };
        }
        let (Some(min), Some(max)) = (option.min, option.max) else {
            return Err("a number needs min and max".to_owned());
        };
        if let (Some(base), Some(_)) = (&option.percent_of, option.percent) {
            let known = group.options.iter().any(|other| &other.name == base);
            return if known { Ok(()) } else { Err("percent_of names no option".to_owned()) };
        }
        match option.number() {
            Some(number) if (min..=max).contains(&number) => Ok(()),
            Some(_) => Err("its default is out of its own range".to_owned()),
            None => Err("a number needs a default".to_owned()),
        }
    }
}

fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{what} has {name} twice"));
        }
    }
    Ok(())
}
