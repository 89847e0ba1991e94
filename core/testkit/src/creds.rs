//! Keys and credentials as NATS wants them: operator, accounts, users, and plain nkey users.

use crate::TempDir;
use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// An operator with one account. Users are made from it at will; the server trusts them through
/// [`Creds::server_config`]. The credentials files live as long as this value.
#[derive(Debug)]
pub struct Creds {
    operator: KeyPair,
    account: KeyPair,
    dir: TempDir,
}

/// One user of the account, with everything a client or a test may ask for.
#[derive(Clone)]
pub struct UserCreds {
    /// The credentials file: the user's JWT and its seed.
    pub file: PathBuf,
    /// The user's JWT.
    pub jwt: String,
    /// The user's secret seed (`SU…`).
    pub seed: String,
    /// The user's public key (`U…`).
    pub public_key: String,
}

/// A user known to the server by its public key alone.
#[derive(Clone)]
pub struct NkeyUser {
    /// The public key (`U…`), for the server's configuration.
    pub public_key: String,
    /// The secret seed (`SU…`), for the client.
    pub seed: String,
}

impl NkeyUser {
    /// Makes a key pair.
    pub fn generate() -> Self {
        let pair = KeyPair::new_user();
        Self { public_key: pair.public_key(), seed: pair.seed().expect("a new pair has a seed") }
    }
}

impl Creds {
    /// Makes an operator and an account.
    pub fn generate() -> Self {
        Self {
            operator: KeyPair::new_operator(),
            account: KeyPair::new_account(),
            dir: TempDir::new("creds"),
        }
    }

    /// The lines of a server's configuration that make it trust this operator and its account, and
    /// nobody else.
    pub fn server_config(&self) -> String {
        let operator = jwt(
            &self.operator,
            &self.operator.public_key(),
            "operator",
            json!({"type": "operator", "version": 2}),
        );
        let unlimited = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
            "wildcards": true, "conn": -1, "leaf": -1,
        });
        let account = jwt(
            &self.operator,
            &self.account.public_key(),
            "account",
            json!({"type": "account", "version": 2, "limits": unlimited}),
        );
        format!(
            "operator: {operator}\nresolver: MEMORY\nresolver_preload: {{ {}: {account} }}\n",
            self.account.public_key()
        )
    }

    /// A user that may do everything.
    pub fn user(&self, name: &str) -> UserCreds {
        self.user_with(name, &json!({}))
    }

    /// A user with permissions: `allow` is merged into the `nats` claims, for example
    /// `{"pub": {"deny": ["a.>"]}}`.
    pub fn user_with(&self, name: &str, allow: &Value) -> UserCreds {
        let pair = KeyPair::new_user();
        let public_key = pair.public_key();
        let mut nats = json!({
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
            "pub": {}, "sub": {},
        });
        if let (Value::Object(nats), Value::Object(allow)) = (&mut nats, allow) {
            nats.extend(allow.clone());
        }
        let jwt = jwt(&self.account, &public_key, name, nats);
        let seed = pair.seed().expect("a new pair has a seed");
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
             ************************* IMPORTANT *************************\n\
             Whoever holds this seed is this user.\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        UserCreds { file: self.dir.write(&format!("{name}.creds"), &text), jwt, seed, public_key }
    }

    /// The directory of the credentials files.
    pub fn dir(&self) -> &TempDir {
        &self.dir
    }
}

/// A JWT in the form that NATS reads: Ed25519 over nkeys, claims under `nats`.
fn jwt(issuer: &KeyPair, subject: &str, name: &str, nats: Value) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock past 1970").as_secs();
    let head = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let mut claims = json!({
        "jti": format!("{name}-{subject}"), "iat": now, "iss": issuer.public_key(),
        "sub": subject, "name": name,
    });
    claims["nats"] = nats;
    let body = format!(
        "{}.{}",
        BASE64URL_NOPAD.encode(head.to_string().as_bytes()),
        BASE64URL_NOPAD.encode(claims.to_string().as_bytes())
    );
    let signature = issuer.sign(body.as_bytes()).expect("an issuer with a seed signs");
    format!("{body}.{}", BASE64URL_NOPAD.encode(&signature))
}
