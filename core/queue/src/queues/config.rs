//! What queues are opened with: a deployment's configuration from a file, from text, or made in code.
use crate::{Clock, Store};
use posthouse_core::{Code, Error, queue::Deployment};
use std::{
    collections::HashMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A deployment's configuration, and where its relative paths begin.
#[derive(Clone)]
pub struct Config {
    pub(super) deployment: Deployment,
    pub(super) folder: PathBuf,
    pub(super) clock: Clock,
    pub(super) stores: HashMap<String, Arc<dyn Store>>,
}

impl Config {
    /// Reads a file, TOML where its name ends in `.toml` and JSON otherwise. Relative paths in it begin in its
    /// folder.
    ///
    /// # Errors
    /// `INVALID_OPTIONS` where it cannot be read or something in it is not known or not allowed.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = fs::read_to_string(path)
            .map_err(|error| invalid(&format!("{}: {error}", path.display())))?;
        let toml = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
        let read = if toml { Self::toml(&text) } else { Self::json(&text) };
        let mut config = read.map_err(|error| {
            Error::new(error.code(), format!("{}: {}", path.display(), error.message()))
        })?;
        path.parent().unwrap_or(Path::new("")).clone_into(&mut config.folder);
        Ok(config)
    }

    /// Reads JSON text. Relative paths begin in the working folder.
    ///
    /// # Errors
    /// As [`Config::file`].
    pub fn json(text: &str) -> Result<Self, Error> {
        Ok(Deployment::parse(text)?.into())
    }

    /// Reads TOML text of the same shape.
    ///
    /// # Errors
    /// As [`Config::file`].
    pub fn toml(text: &str) -> Result<Self, Error> {
        let value: serde_json::Value = toml::from_str(text)
            .map_err(|error| invalid(&format!("the configuration is no TOML: {error}")))?;
        Self::json(&value.to_string())
    }

    /// The deployment as configured so far.
    pub fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    /// Adds names to those that programs may use.
    #[must_use]
    pub fn grant(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        for name in names {
            self.deployment.grant(name.as_ref());
        }
        self
    }

    /// Uses `store` wherever the configuration names `address`, which may be any text: a store of one's
    /// own, or one that is open already.
    #[must_use]
    pub fn store(mut self, address: &str, store: Arc<dyn Store>) -> Self {
        self.stores.insert(address.to_owned(), store);
        self
    }

    /// Goes by a clock that is moved by hand: for tests. Stores on a server keep the server's time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Where relative paths begin.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }
}

impl From<Deployment> for Config {
    fn from(deployment: Deployment) -> Self {
        Self { deployment, folder: PathBuf::new(), clock: Clock::wall(), stores: HashMap::new() }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A store's address may hold a secret.
        let names: Vec<_> = self.deployment.bindings().map(|(name, _)| name).collect();
        f.debug_struct("Config").field("queues", &names).finish_non_exhaustive()
    }
}

pub(super) fn invalid(text: &str) -> Error {
    Error::new(Code::InvalidOptions, text)
}
