//! Who we are to the server: the credential options, asked anew at every attempt.

use super::creds;
use super::endpoint::{Endpoint, UserInfo};
use super::info::Info;
use super::secret::Secret;
use futures_util::FutureExt as _;
use posthouse_core::{Code, Error, Result};
use posthouse_node::NodeOptions;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

/// A function that tells a credential and may block; it runs on a thread of its own.
pub type BlockingCallback = Arc<dyn Fn() -> Result<String> + Send + Sync>;

/// A function that begins to ask for a credential. It and its future run on the I/O thread and so
/// must not block.
pub type AsyncCallback =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<String>> + Send>> + Send + Sync>;

/// One credential: a value, or a callback asked anew at every attempt to connect.
#[derive(Clone)]
pub enum Credential {
    /// The value itself.
    Value(Secret),
    /// Asked on a thread of its own.
    Blocking(BlockingCallback),
    /// Asked on the I/O thread, without blocking it.
    Async(AsyncCallback),
}

impl Credential {
    /// A credential that a blocking function tells.
    pub fn blocking(ask: impl Fn() -> Result<String> + Send + Sync + 'static) -> Self {
        Self::Blocking(Arc::new(ask))
    }

    /// Asks for what stands in CONNECT as it is. `what` names the option in messages.
    async fn resolve_line(&self, what: &str) -> Result<Secret> {
        let secret = self.resolve(what).await?;
        one_line(what, &secret)?;
        Ok(secret)
    }

    /// Asks. `what` names the option in messages.
    async fn resolve(&self, what: &str) -> Result<Secret> {
        // What it panicked with is the application's and may hold anything.
        let panicked = || Err(Error::new(Code::HandlerError, "it panicked"));
        let told = match self {
            Self::Value(secret) => return Ok(secret.clone()),
            Self::Blocking(ask) => {
                let ask = Arc::clone(ask);
                tokio::task::spawn_blocking(move || ask()).await.unwrap_or_else(|_| panicked())
            }
            Self::Async(ask) => {
                let asked = AssertUnwindSafe(async { ask().await }).catch_unwind().await;
                asked.unwrap_or_else(|_| panicked())
            }
        };
        told.map(Secret::new).map_err(|e| {
            Error::new(e.code(), format!("the {what} callback failed: {}", e.message()))
        })
    }
}

impl From<&str> for Credential {
    fn from(value: &str) -> Self {
        Self::Value(value.into())
    }
}

impl From<String> for Credential {
    fn from(value: String) -> Self {
        Self::Value(value.into())
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value(_) => "***",
            Self::Blocking(_) | Self::Async(_) => "a callback",
        })
    }
}

/// The credential options. At most one way may be given: a token, a user with a password, an nkey,
/// or credentials. With none of them, what the server's URL holds is used.
#[derive(Clone, Debug, Default)]
pub struct AuthOptions {
    /// A token.
    pub token: Option<Credential>,
    /// A user's name; needs a password.
    pub user: Option<Credential>,
    /// The user's password; needs a user.
    pub password: Option<Credential>,
    /// A user's secret seed (`SU…`).
    pub nkey: Option<Credential>,
    /// The path of a credentials file (JWT and seed), or the text of one.
    pub credentials: Option<Credential>,
}

/// What CONNECT has to say about us. Prints without its secrets.
#[derive(Clone, Default)]
pub struct ConnectFields {
    /// `user`.
    pub user: Option<Secret>,
    /// `pass`.
    pub pass: Option<Secret>,
    /// `auth_token`.
    pub auth_token: Option<Secret>,
    /// `jwt`.
    pub jwt: Option<Secret>,
    /// `nkey`: the public key.
    pub nkey: Option<String>,
    /// `sig`: the signed nonce, base64 (URL alphabet, no padding).
    pub sig: Option<String>,
    /// `tls_required`: whether this connection is encrypted.
    pub tls_required: bool,
}

impl fmt::Debug for ConnectFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.auth_token.is_some() {
            "token"
        } else if self.user.is_some() {
            "user"
        } else if self.jwt.is_some() {
            "credentials"
        } else if self.nkey.is_some() {
            "nkey"
        } else {
            "nothing"
        };
        f.debug_struct("ConnectFields")
            .field("by", &way)
            .field("tls_required", &self.tls_required)
            .finish_non_exhaustive()
    }
}

impl AuthOptions {
    /// Checks that at most one way is given, and completely. Fails with `INVALID_OPTIONS`.
    pub fn validate(&self) -> Result<()> {
        let refuse = |why: &str| Err(Error::new(Code::InvalidOptions, why));
        for (what, given) in
            [("token", &self.token), ("user", &self.user), ("password", &self.password)]
        {
            if let Some(Credential::Value(secret)) = given {
                one_line(what, secret)?;
            }
        }
        if self.user.is_some() != self.password.is_some() {
            return refuse("user and password have to be given together");
        }
        let ways: Vec<&str> = [
            ("token", self.token.is_some()),
            ("user and password", self.user.is_some()),
            ("nkey", self.nkey.is_some()),
            ("credentials", self.credentials.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, given)| given.then_some(name))
        .collect();
        if ways.len() > 1 {
            return refuse(&format!("{} are given; give only one of them", ways.join(" and ")));
        }
        Ok(())
    }

    /// Asks for the credentials and makes the fields of CONNECT from them.
    /// Makes a node ask of its clients what this hub tells a server: whoever gives a token wants
    /// nobody in without it.
    pub(crate) async fn guard(&self, mut node: NodeOptions) -> Result<NodeOptions> {
        let resolve = async |credential: &Option<Credential>, what| match credential {
            Some(credential) => {
                credential.resolve_line(what).await.map(|secret| Some(secret.reveal().to_owned()))
            }
            None => Ok(None),
        };
        if self.nkey.is_some() || self.credentials.is_some() {
            return Err(Error::new(
                Code::InvalidOptions,
                "no server listens on the local port, and this hub cannot be the node in its place: a node checks no nkeys or credentials; give a token, or start a server that does",
            ));
        }
        node.token = resolve(&self.token, "token").await?;
        node.user = resolve(&self.user, "user").await?;
        node.password = resolve(&self.password, "password").await?;
        Ok(node)
    }

    pub(super) async fn connect_fields(
        &self,
        endpoint: &Endpoint,
        info: &Info,
    ) -> Result<ConnectFields> {
        self.validate()?;
        let mut fields = ConnectFields::default();
        if let Some(token) = &self.token {
            fields.auth_token = Some(token.resolve_line("token").await?);
        } else if let (Some(user), Some(password)) = (&self.user, &self.password) {
            fields.user = Some(user.resolve_line("user").await?);
            fields.pass = Some(password.resolve_line("password").await?);
        } else if let Some(nkey) = &self.nkey {
            let seed = nkey.resolve("nkey").await?;
            let Some(nonce) = nonce(endpoint, info)? else { return Ok(fields) };
            let signed = creds::sign(&seed, nonce)?;
            fields.nkey = Some(signed.public_key);
            fields.sig = Some(signed.signature);
        } else if let Some(credentials) = &self.credentials {
            let source = credentials.resolve("credentials").await?;
            let loaded = match tokio::task::spawn_blocking(move || creds::load(&source)).await {
                Ok(loaded) => loaded?,
                Err(_) => return Err(Error::new(Code::Internal, "reading credentials failed")),
            };
            let Some(nonce) = nonce(endpoint, info)? else { return Ok(fields) };
            let signed = creds::sign(&loaded.seed, nonce)?;
            fields.jwt = Some(loaded.jwt);
            fields.nkey = Some(signed.public_key);
            fields.sig = Some(signed.signature);
        } else {
            match &endpoint.userinfo {
                Some(UserInfo::Token(token)) => fields.auth_token = Some(token.clone()),
                Some(UserInfo::User(user, password)) => {
                    fields.user = Some(user.clone());
                    fields.pass = Some(password.clone());
                }
                None => {}
            }
        }
        Ok(fields)
    }
}

/// Refuses control characters in a credential: no server takes them, and nearly always they are the line
/// break at the end of a file.
fn one_line(what: &str, secret: &Secret) -> Result<()> {
    if secret.reveal().chars().any(char::is_control) {
        return Err(Error::new(
            Code::InvalidOptions,
            format!(
                "{what} holds a line break or another control character; allowed is one line \
                 without its end"
            ),
        ));
    }
    Ok(())
}

/// What the server wants signed; `None` if it wants nobody to prove anything.
fn nonce<'a>(endpoint: &Endpoint, info: &'a Info) -> Result<Option<&'a str>> {
    match info.nonce.as_deref() {
        Some(nonce) if !nonce.is_empty() => Ok(Some(nonce)),
        _ if info.auth_required => Err(Error::new(
            Code::AuthFailed,
            format!(
                "{endpoint} knows no nkeys (its INFO has no nonce); give a token, or user and \
                 password"
            ),
        )),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn endpoint(url: &str) -> Endpoint {
        Endpoint::parse(url).expect("a URL")
    }

    #[test]
    fn one_way_only() {
        let ok = AuthOptions { token: Some("t".into()), ..AuthOptions::default() };
        ok.validate().expect("a token alone");
        let half = AuthOptions { user: Some("u".into()), ..AuthOptions::default() };
        let two = AuthOptions { nkey: Some("SU".into()), ..ok.clone() };
        for wrong in [half, two] {
            assert_eq!(wrong.validate().expect_err("refused").code(), Code::InvalidOptions);
        }
    }

    #[tokio::test]
    async fn credentials_are_one_line() {
        let told = AuthOptions { token: Some("t\n".into()), ..AuthOptions::default() };
        let error = told.validate().expect_err("refused");
        assert!(error.message().contains("token") && !error.message().contains("t\n"), "{error}");
        let asked = Credential::blocking(|| Ok("a\r\nPUB x 1\r\n1".into()));
        let asked = AuthOptions { token: Some(asked), ..AuthOptions::default() };
        asked.validate().expect("nobody has asked yet");
        let fields = asked.connect_fields(&endpoint("h"), &Info::default()).await;
        assert_eq!(fields.expect_err("refused").code(), Code::InvalidOptions);
        Endpoint::parse("nats://u:%0d%0aPUB@h").expect_err("refused");
    }

    #[tokio::test]
    async fn callbacks_that_panic_fail_the_attempt_and_nothing_else() {
        let asking: AsyncCallback = Arc::new(|| Box::pin(async { panic!("with a s3cret") }));
        let begun: AsyncCallback = Arc::new(|| panic!("with a s3cret"));
        let blocking = Credential::blocking(|| panic!("with a s3cret"));
        for token in [Credential::Async(asking), Credential::Async(begun), blocking] {
            let auth = AuthOptions { token: Some(token), ..AuthOptions::default() };
            let failed = auth.connect_fields(&endpoint("h"), &Info::default()).await;
            let error = failed.expect_err("no token");
            assert_eq!(error.code(), Code::HandlerError);
            assert!(!error.message().contains("s3cret"), "{error}");
        }
    }

    #[tokio::test]
    async fn callbacks_are_asked_every_time_and_off_this_thread() {
        let here = std::thread::current().id();
        let calls = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&calls);
        let auth = AuthOptions {
            token: Some(Credential::blocking(move || {
                assert_ne!(std::thread::current().id(), here);
                Ok(format!("token{}", counter.fetch_add(1, Ordering::Relaxed)))
            })),
            ..AuthOptions::default()
        };
        for expected in ["token0", "token1"] {
            let fields = auth.connect_fields(&endpoint("h"), &Info::default()).await.expect("ok");
            assert_eq!(fields.auth_token.as_ref().map(Secret::reveal), Some(expected));
            assert!(!format!("{auth:?} {fields:?}").contains("token0"));
        }
        let auth = AuthOptions {
            user: Some("ann".into()),
            password: Some(Credential::Async(Arc::new(|| Box::pin(async { Ok("pw".into()) })))),
            ..AuthOptions::default()
        };
        let fields = auth.connect_fields(&endpoint("h"), &Info::default()).await.expect("ok");
        assert_eq!(fields.pass.as_ref().map(Secret::reveal), Some("pw"));
    }

    #[tokio::test]
    async fn a_callback_that_fails_or_panics_is_an_error() {
        let fail = Credential::blocking(|| Err(Error::new(Code::AuthFailed, "vault is sealed")));
        let error = fail.resolve("token").await.expect_err("an error");
        assert_eq!(error.to_string(), "AUTH_FAILED: the token callback failed: vault is sealed");
        let panics = Credential::blocking(|| panic!("hunter2"));
        let error = panics.resolve("token").await.expect_err("an error");
        assert_eq!(error.code(), Code::HandlerError);
        assert!(!error.message().contains("hunter2"));
    }

    #[tokio::test]
    async fn the_url_is_the_fallback() {
        let none = AuthOptions::default();
        let info = Info::default();
        let fields = none.connect_fields(&endpoint("nats://a:b@h"), &info).await.expect("ok");
        assert_eq!(fields.user.as_ref().map(Secret::reveal), Some("a"));
        let token = AuthOptions { token: Some("t".into()), ..none };
        let fields = token.connect_fields(&endpoint("nats://a:b@h"), &info).await.expect("ok");
        assert!(fields.user.is_none() && fields.auth_token.is_some());
    }

    #[tokio::test]
    async fn a_seed_needs_a_nonce_where_proof_is_wanted() {
        let seed = nkeys::KeyPair::new_user().seed().expect("a seed");
        let auth = AuthOptions { nkey: Some(seed.into()), ..AuthOptions::default() };
        let open = Info::default();
        let fields = auth.connect_fields(&endpoint("h"), &open).await.expect("nothing to prove");
        assert!(fields.sig.is_none());
        let closed = Info { auth_required: true, ..Info::default() };
        let error = auth.connect_fields(&endpoint("h"), &closed).await.expect_err("an error");
        assert_eq!(error.code(), Code::AuthFailed);
    }
}
