//! The options that a hub is opened with.
use super::{
    Dialect, Given, Set,
    read::{Read, read},
};
use crate::{ask, outbox::Outbox};
use posthouse::{NodeMode, Options};
use posthouse_core::{Code, Error, Result, options::Group};
use std::{fmt, sync::Arc};

/// Options for [`crate::Hub::open`], set one by one from what a program gave.
pub struct HubSettings {
    dialect: Dialect,
    options: Options,
    /// Credentials that the program tells when it is asked.
    asks: Vec<&'static str>,
}

impl fmt::Debug for HubSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Addresses may hold passwords.
        let namespace = &self.options.namespace;
        f.debug_struct("HubSettings").field("namespace", namespace).finish_non_exhaustive()
    }
}

impl HubSettings {
    /// The defaults. `sdk` and `runtime` are what others see of this hub: the language, e.g.
    /// `python`, and the platform, e.g. `python/3.11.7`.
    pub fn new(dialect: Dialect, sdk: &'static str, runtime: impl Into<String>) -> Self {
        let options = Options { sdk, runtime: runtime.into(), ..Options::default() };
        Self { dialect, options, asks: Vec::new() }
    }

    /// The namespace; without one the hub gets a fresh one that nobody else is in.
    #[must_use]
    pub fn namespace(mut self, namespace: Option<&str>) -> Self {
        self.options.namespace = namespace.map(str::to_owned);
        self
    }

    /// For tests: the local node's port instead of the usual one.
    #[doc(hidden)]
    #[must_use]
    pub fn local_port(mut self, port: u16) -> Self {
        self.options.local_port = Some(port);
        self
    }

    /// Sets one option; of a group's members as `group.member`.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`: it is unknown, of the wrong kind, or out of range.
    pub fn set(&mut self, name: &str, given: Given<'_>) -> Result<Set> {
        let (spec, read) = read(self.dialect, Group::Hub, name, given)?;
        // The names are distinct over the groups of a hub but for the groups' own members.
        let path = spec.name;
        let options = &mut self.options;
        match read {
            Read::Group(_) => return Ok(Set::Group),
            Read::Host => return Ok(Set::Host),
            Read::Absent => {}
            Read::Number(number) => {
                let numbers = &mut options.numbers;
                let known = match name.split_once('.').map_or("", |(group, _)| group) {
                    "messaging" => numbers.messaging.put(path, number),
                    "selection" => numbers.selection.put(path, number),
                    _ => numbers.put(path, number),
                };
                if !known {
                    return Err(unheld(path));
                }
            }
            Read::Ask => {
                self.asks.retain(|asked| *asked != path);
                self.asks.push(path);
            }
            Read::Text(text) => match path {
                "token" => options.auth.token = Some(text.into()),
                "user" => options.auth.user = Some(text.into()),
                "password" => options.auth.password = Some(text.into()),
                "nkey" => options.auth.nkey = Some(text.into()),
                "credentials" => options.auth.credentials = Some(text.into()),
                "ca_file" => options.tls.ca_file = Some(text.into()),
                "cert_file" => options.tls.cert_file = Some(text.into()),
                "key_file" => options.tls.key_file = Some(text.into()),
                _ => return Err(unheld(path)),
            },
            Read::Texts(texts) => match path {
                "servers" => options.servers = Some(texts),
                _ => return Err(unheld(path)),
            },
            Read::Flag(flag) => match path {
                "node" => options.node = if flag { NodeMode::Own } else { NodeMode::Never },
                "handshake_first" => options.tls.handshake_first = flag,
                _ => return Err(unheld(path)),
            },
        }
        Ok(Set::Done)
    }

    pub(crate) fn into_options(self, outbox: &Arc<Outbox>) -> Options {
        let mut options = self.options;
        for what in self.asks {
            let credential = Some(ask::credential(outbox, what));
            match what {
                "token" => options.auth.token = credential,
                "user" => options.auth.user = credential,
                "password" => options.auth.password = credential,
                "nkey" => options.auth.nkey = credential,
                _ => options.auth.credentials = credential,
            }
        }
        options
    }
}

/// The table has an option that nothing here holds; a test sets every one.
fn unheld(name: &str) -> Error {
    Error::new(Code::Internal, format!("the option {name} is known but not held by this version"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_core::options::Kind;

    #[test]
    fn every_option_is_held() {
        let mut settings = HubSettings::new(Dialect::C, "c", "c/11");
        for spec in Group::Hub.specs() {
            let members: &[_] = match spec.kind {
                Kind::Group(group) => {
                    assert_eq!(settings.set(spec.name, Given::Object), Ok(Set::Group));
                    group.specs()
                }
                _ => std::slice::from_ref(spec),
            };
            for member in members {
                let name = match spec.kind {
                    Kind::Group(_) => format!("{}.{}", spec.name, member.name),
                    _ => member.name.to_owned(),
                };
                let (given, becomes) = match member.kind {
                    Kind::Text | Kind::Secret => (Given::Text("hunter2"), Set::Done),
                    Kind::List => (Given::Texts(&["nats://u:hunter2@x"]), Set::Done),
                    Kind::Flag | Kind::Value => (Given::Flag(true), Set::Done),
                    Kind::Callback => (Given::Callback, Set::Host),
                    Kind::Ratio => (Given::Float(0.5), Set::Done),
                    _ => (Given::Integer(1), Set::Done),
                };
                assert_eq!(settings.set(&name, given), Ok(becomes), "{name}");
            }
        }
        let numbers = settings.options.numbers;
        assert_eq!((numbers.timeout_ms, numbers.messaging.pending_bytes), (1, 1));
        assert!((0.4..0.6).contains(&numbers.selection.improvement_ratio));
        assert_eq!(settings.options.node, NodeMode::Own);
        assert!(settings.options.tls.handshake_first && settings.options.auth.nkey.is_some());
        let shown = format!("{settings:?} {:?}", settings.options.auth);
        assert!(!shown.contains("hunter2"), "a secret is shown: {shown}");
    }

    #[test]
    fn a_callback_takes_the_place_of_a_value() {
        let mut settings = HubSettings::new(Dialect::PYTHON, "python", "");
        for name in ["token", "user", "password", "nkey", "credentials"] {
            assert_eq!(settings.set(name, Given::Callback), Ok(Set::Done));
        }
        assert_eq!(settings.asks.len(), 5);
    }
}
