//! How the bridge gets to its hub.
use super::{problem::Problem, view::View};
use posthouse::{Builder, Hub, NodeMode, Secret};
use posthouse_core::json::Limits;
use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The section `hub`.
#[derive(Clone)]
pub struct HubConfig {
    /// The namespace.
    pub namespace: String,
    servers: Vec<String>,
    node: NodeMode,
    auth: Auth,
    ca_file: Option<PathBuf>,
    certificate: Option<(PathBuf, PathBuf)>,
    handshake_first: bool,
    /// How long connecting and each operation may take.
    pub timeout: Duration,
    payload_bytes: usize,
    outbound_bytes: usize,
}

impl fmt::Debug for HubConfig {
    /// Without servers and credentials: both may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubConfig").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

/// The one way in which the bridge proves who it is.
#[derive(Clone)]
enum Auth {
    None,
    Token(Secret),
    User(String, Secret),
    Nkey(Secret),
    Credentials(PathBuf),
}

/// Where a configuration looks for what it only names: folders and the environment.
pub struct Surroundings<'a> {
    /// The folder that relative paths start at.
    pub folder: &'a Path,
    /// The environment variable of a name.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl HubConfig {
    pub(super) fn read(
        view: View<'_>,
        tls: Option<View<'_>>,
        around: &Surroundings<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let path =
            |view: Option<View<'_>>, name| view?.text(name).map(|text| around.folder.join(text));
        let certificate = match (path(tls, "cert_file"), path(tls, "key_file")) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                let line = tls.and_then(|view| view.line());
                let text = "has one of cert_file and key_file; a client certificate needs both";
                problems.push(Problem::new(line, "hub.tls", text));
                None
            }
        };
        let node = match view.text("node") {
            Some("true") => NodeMode::Own,
            Some("false") => NodeMode::Never,
            _ => NodeMode::Auto,
        };
        let servers = view.texts("servers");
        if node == NodeMode::Own && !servers.is_empty() {
            let text = "is true and servers are given; a bridge with servers is only a client: remove one of the two";
            problems.push(Problem::new(view.node("node").and_then(|n| n.line), "hub.node", text));
        }
        Self {
            namespace: view.some_text("namespace"),
            servers,
            node,
            auth: auth(view, around, problems),
            ca_file: path(tls, "ca_file"),
            certificate,
            handshake_first: tls.is_some_and(|view| view.flag("handshake_first")),
            timeout: view.duration("timeout"),
            payload_bytes: view.whole("payload_bytes"),
            outbound_bytes: view.whole("outbound_bytes"),
        }
    }

    /// What an event, a request or an answer may measure.
    pub fn message_limits(&self) -> Limits {
        Limits::VALUE.with_bytes(self.payload_bytes)
    }

    /// What opens the hub.
    pub fn builder(&self) -> Builder {
        let mut builder = Hub::builder(self.namespace.as_str())
            .node(self.node)
            .timeout(self.timeout)
            .tls_handshake_first(self.handshake_first)
            .with_numbers(|numbers| {
                numbers.messaging.payload_bytes = self.payload_bytes;
                numbers.messaging.outbound_bytes = self.outbound_bytes;
                // One reply may be as large as one event.
                numbers.messaging.reply_bytes =
                    numbers.messaging.reply_bytes.max(self.payload_bytes);
                numbers.messaging.pending_bytes =
                    numbers.messaging.pending_bytes.max(self.payload_bytes);
            });
        if !self.servers.is_empty() {
            builder = builder.servers(&self.servers);
        }
        if let Some(path) = &self.ca_file {
            builder = builder.ca_file(path);
        }
        if let Some((certificate, key)) = &self.certificate {
            builder = builder.client_certificate(certificate, key);
        }
        match &self.auth {
            Auth::None => builder,
            Auth::Token(token) => builder.token(token.reveal()),
            Auth::User(user, password) => builder.user(user.as_str(), password.reveal()),
            Auth::Nkey(seed) => builder.nkey(seed.reveal()),
            Auth::Credentials(path) => builder.credentials(path.to_string_lossy().into_owned()),
        }
    }
}

/// Takes one way to authenticate; two are refused.
fn auth(view: View<'_>, around: &Surroundings<'_>, problems: &mut Vec<Problem>) -> Auth {
    let ways = ["token", "token_env", "user", "nkey_file", "nkey_env", "credentials"];
    let given: Vec<&str> = ways.into_iter().filter(|way| view.node(way).is_some()).collect();
    let mut fault = |name: &str, text: String| {
        let line = view.node(name).and_then(|node| node.line).or(view.line());
        problems.push(Problem::new(line, format!("hub.{name}"), text));
    };
    if let [first, second, ..] = given[..] {
        fault(second, format!("is a second way to authenticate besides {first}; give one"));
        return Auth::None;
    }
    let user = view.text("user");
    for name in ["password", "password_env"] {
        if user.is_none() && view.node(name).is_some() {
            fault(name, "is given without a user".to_owned());
        }
    }
    let environment = |name: &str, fault: &mut dyn FnMut(&str, String)| {
        let variable = view.text(name)?;
        let value = (around.variable)(variable).filter(|value| !value.is_empty());
        if value.is_none() {
            fault(name, format!("names the environment variable {variable}, which is not set"));
        }
        value.map(Secret::new)
    };
    if let Some(user) = user {
        let (here, there) = (view.text("password"), view.text("password_env"));
        let password = match (here, there) {
            (Some(_), Some(_)) => {
                fault("password_env", "is given besides password; give one".to_owned());
                None
            }
            (Some(password), None) => Some(Secret::new(password)),
            (None, Some(_)) => environment("password_env", &mut fault),
            (None, None) => {
                fault("user", "needs password or password_env".to_owned());
                None
            }
        };
        return password.map_or(Auth::None, |password| Auth::User(user.to_owned(), password));
    }
    if let Some(token) = view.text("token") {
        return Auth::Token(Secret::new(token));
    }
    if let Some(token) = environment("token_env", &mut fault) {
        return Auth::Token(token);
    }
    if let Some(seed) = environment("nkey_env", &mut fault) {
        return Auth::Nkey(seed);
    }
    if let Some(path) = view.text("nkey_file") {
        let path = around.folder.join(path);
        return match std::fs::read_to_string(&path) {
            Ok(seed) => Auth::Nkey(Secret::new(seed.trim())),
            Err(error) => {
                fault("nkey_file", format!("{} cannot be read: {error}", path.display()));
                Auth::None
            }
        };
    }
    match view.text("credentials") {
        Some(path) => Auth::Credentials(around.folder.join(path)),
        None => Auth::None,
    }
}
