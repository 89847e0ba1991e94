//! A language: how its agent starts and what it is excused from, as `expectations/<name>.toml` says.
use std::{collections::BTreeMap, env, fs, path::Path};

use serde::Deserialize;

/// One file of `expectations/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The file's stem.
    #[serde(skip)]
    pub name: String,
    /// The program and its arguments. `{here}` is the corpus' directory, `{bin}` the one of the
    /// runner's own binary, `{env:NAME:default}` an environment variable.
    pub command: Vec<String>,
    /// Capabilities that this language has not, each with the reason.
    #[serde(default)]
    pub lacks: BTreeMap<String, String>,
    /// Scenarios (or the beginning of their names, ending in `*`) that it does not run, each with
    /// the reason.
    #[serde(default)]
    pub excused: BTreeMap<String, String>,
}

impl Language {
    /// Reads the expectations of a language.
    pub fn load(here: &Path, name: &str) -> Result<Self, String> {
        let path = here.join("expectations").join(format!("{name}.toml"));
        let text = fs::read_to_string(&path)
            .map_err(|e| format!("`{name}` is no agent: {}: {e}", path.display()))?;
        let mut language: Self =
            toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        name.clone_into(&mut language.name);
        for part in &mut language.command {
            *part = fill(part, here)?;
        }
        Ok(language)
    }

    /// Why this scenario is not run in this language, where that is expected.
    pub fn excuse(&self, scenario: &str) -> Option<&str> {
        self.excused
            .iter()
            .find(|(key, _)| match key.strip_suffix('*') {
                Some(beginning) => scenario.starts_with(beginning),
                None => *key == scenario,
            })
            .map(|(_, why)| why.as_str())
    }
}

fn fill(part: &str, here: &Path) -> Result<String, String> {
    if let Some(inner) = part.strip_prefix("{env:").and_then(|rest| rest.strip_suffix('}')) {
        let (name, default) = inner.split_once(':').unwrap_or((inner, ""));
        return Ok(env::var(name).unwrap_or_else(|_| default.to_owned()));
    }
    let exe = env::current_exe().map_err(|e| e.to_string())?;
    let bin = exe.parent().unwrap_or(here);
    Ok(part
        .replace("{here}", &here.display().to_string())
        .replace("{bin}", &bin.display().to_string()))
}
