//! The operations of the public surface, read from `core/machine/api/`; `README.md` there says what each
//! key means.
use super::{Group, Table, distinct};
use crate::root::root;
use serde::Deserialize;
use std::{
    collections::{BTreeMap, HashSet},
    fs,
};

/// Everything of one page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Of its file.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    pub doc: String,
    #[serde(rename = "operation")]
    pub operations: Vec<Operation>,
    #[serde(rename = "extra", default)]
    pub extras: Vec<Extra>,
}

/// Something that the contract gives every language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub name: String,
    pub doc: String,
    #[serde(default)]
    pub takes: Vec<Parameter>,
    /// The group of options that it takes besides.
    pub options: Option<String>,
    pub gives: String,
    /// Codes that it may give besides the common ones; `None` where it cannot fail.
    pub errors: Option<Vec<String>>,
    #[serde(default)]
    pub waits: bool,
    /// Platforms without it, with the reason.
    #[serde(default)]
    pub absent: BTreeMap<String, String>,
    rust: Option<Calls>,
    python: Option<Calls>,
    javascript: Option<Calls>,
    c: Option<Calls>,
    cpp: Option<Calls>,
}

/// Something that one language has beyond the contract.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extra {
    pub language: String,
    pub calls: Calls,
    pub doc: String,
}

/// A parameter of an operation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// In words; `None` where it has to be given.
    pub default: Option<String>,
    pub doc: String,
    pub languages: Option<Vec<String>>,
}

/// One expression, or several forms of the same.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Calls {
    One(String),
    Several(Vec<String>),
}

impl Calls {
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(call) => std::slice::from_ref(call),
            Self::Several(calls) => calls,
        }
    }
}

impl Parameter {
    /// Whether a language has this parameter.
    pub fn is_in(&self, language: &str) -> bool {
        self.languages.as_ref().is_none_or(|list| list.iter().any(|name| name == language))
    }
}

impl Operation {
    /// How a language calls it; nothing where it does not have it.
    pub fn calls(&self, language: &str) -> &[String] {
        let calls = match language {
            "rust" => &self.rust,
            "python" => &self.python,
            "javascript" => &self.javascript,
            "c" => &self.c,
            "cpp" => &self.cpp,
            _ => &None,
        };
        calls.as_ref().map_or(&[], Calls::all)
    }
}

impl Page {
    pub fn read(name: &str) -> Result<Self, String> {
        let path = format!("core/machine/api/{name}.toml");
        let text =
            fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let page: Self = toml::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self { name: name.to_owned(), ..page })
    }
}

impl Table {
    /// Every operation, in the order of the pages.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.pages.iter().flat_map(|page| &page.operations)
    }

    /// The groups of options that programs give: those that an operation takes, and those within them. The others
    /// are settings of a deployment.
    pub fn given_groups(&self) -> impl Iterator<Item = &Group> {
        let taken: HashSet<&str> =
            self.operations().filter_map(|operation| operation.options.as_deref()).collect();
        let within = self
            .groups
            .iter()
            .filter(|group| taken.contains(group.name.as_str()))
            .flat_map(|group| &group.options)
            .filter_map(|option| option.group.as_deref());
        let all: HashSet<&str> = within.chain(taken.iter().copied()).collect();
        self.groups.iter().filter(move |group| all.contains(group.name.as_str()))
    }

    /// What a language has beyond the contract.
    pub fn extras(&self, language: &str) -> impl Iterator<Item = &Extra> {
        self.pages.iter().flat_map(|page| &page.extras).filter(move |it| it.language == language)
    }
}

/// Refuses operations that contradict each other or the rest of the table.
pub fn check(table: &Table) -> Result<(), String> {
    distinct("operation", table.operations().map(|operation| &operation.name))?;
    distinct("page", table.pages.iter().map(|page| &page.name))?;
    let codes: HashSet<&String> = table.codes.iter().map(|code| &code.name).collect();
    if let Some(code) = table.common_errors.iter().find(|code| !codes.contains(code)) {
        return Err(format!("common_errors: there is no code {code}"));
    }
    for operation in table.operations() {
        check_operation(table, &codes, operation)
            .map_err(|what| format!("{}: {what}", operation.name))?;
    }
    for extra in table.pages.iter().flat_map(|page| &page.extras) {
        if !table.platforms.iter().any(|platform| platform.language == extra.language) {
            return Err(format!("{:?}: there is no language {}", extra.doc, extra.language));
        }
    }
    Ok(())
}

fn check_operation(
    table: &Table,
    codes: &HashSet<&String>,
    operation: &Operation,
) -> Result<(), String> {
    if let Some(code) = operation.errors.iter().flatten().find(|code| !codes.contains(code)) {
        return Err(format!("there is no code {code}"));
    }
    if let Some(group) = operation.options.as_ref().filter(|name| table.group(name).is_none()) {
        return Err(format!("there is no group of options {group}"));
    }
    for name in operation.absent.keys() {
        if !table.platforms.iter().any(|platform| &platform.name == name) {
            return Err(format!("absent: there is no platform {name}"));
        }
    }
    for platform in &table.platforms {
        let has = !operation.calls(&platform.language).is_empty();
        let absent = operation.absent.contains_key(&platform.name);
        if !has && !absent {
            return Err(format!(
                "nothing says how it is called in {}, nor why it is absent there",
                platform.language
            ));
        }
        let only = !table
            .platforms
            .iter()
            .any(|other| other.language == platform.language && other.name != platform.name);
        if has && absent && only {
            return Err(format!("it is called and absent in {}", platform.name));
        }
    }
    Ok(())
}
