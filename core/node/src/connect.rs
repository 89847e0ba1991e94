//! What a client says of itself in CONNECT, and whether its credentials are the node's.

use serde::Deserialize;

/// The fields of CONNECT that mean something here; others are passed over. Absent ones keep the
/// values that `nats-server` gives them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Connect {
    pub verbose: Option<bool>,
    pub pedantic: Option<bool>,
    pub echo: Option<bool>,
    pub headers: Option<bool>,
    pub no_responders: Option<bool>,
    pub protocol: Option<i64>,
    pub auth_token: Option<String>,
    pub user: Option<String>,
    pub pass: Option<String>,
    pub name: Option<String>,
    pub lang: Option<String>,
    pub version: Option<String>,
}

/// What a client must show.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    pub token: Option<String>,
    pub user: Option<String>,
    pub password: Option<String>,
}

impl Credentials {
    /// Whether anything must be shown at all.
    pub fn required(&self) -> bool {
        self.token.is_some() || self.user.is_some()
    }

    /// Whether the client showed the token, or the user with the password.
    pub fn accept(&self, client: &Connect) -> bool {
        let token = self.token.is_some() && same(self.token.as_ref(), client.auth_token.as_ref());
        let user = self.user.is_some()
            && same(self.user.as_ref(), client.user.as_ref())
                & same(self.password.as_ref(), client.pass.as_ref());
        !self.required() || token || user
    }
}

/// Equality whose duration does not tell where the first difference is.
fn same(wanted: Option<&String>, given: Option<&String>) -> bool {
    let wanted = wanted.map_or("", String::as_str).as_bytes();
    let given = given.map_or("", String::as_str).as_bytes();
    let differing = wanted.iter().zip(given).fold(0, |sum, (a, b)| sum | (a ^ b));
    wanted.len() == given.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials() {
        let read = |text| serde_json::from_str::<Connect>(text).expect("fields are right");
        let none = Credentials::default();
        assert!(none.accept(&read("{}")));
        let token = Credentials { token: Some("t".into()), ..Credentials::default() };
        assert!(token.accept(&read(r#"{"auth_token":"t","more":[1]}"#)));
        assert!(!token.accept(&read(r#"{"auth_token":"x"}"#)) && !token.accept(&read("{}")));
        let user = Credentials { token: None, user: Some("u".into()), password: Some("p".into()) };
        assert!(user.accept(&read(r#"{"user":"u","pass":"p"}"#)));
        assert!(!user.accept(&read(r#"{"user":"u"}"#)) && !user.accept(&read(r#"{"pass":"p"}"#)));
    }
}
