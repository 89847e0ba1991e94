//! From the options to a connection of the official client.
use super::{
    link::{Line, Link},
    options::JetStreamOptions,
};
use crate::{StoreError, Trouble};
use async_nats::{ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use std::{path::Path, time::Duration};
use tokio::sync::watch;

/// A dead connection is found out within two of these.
const PING: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to connect again.
const PAUSE: Duration = Duration::from_secs(1);

/// Connects; fails if no server can be reached now. A connection that is lost later comes back by itself.
pub(super) async fn connect(given: &JetStreamOptions) -> Result<Link, StoreError> {
    let (addresses, shown, way) = resolve(given)?;
    let (line, watched) = watch::channel(Line::new());
    let options = ConnectOptions::new()
        .name("posthouse-queue")
        .ping_interval(PING)
        .retain_servers_order()
        .reconnect_delay_callback(|attempt| {
            let doubled = 1_u64 << attempt.saturating_sub(1).min(10);
            if attempt <= 1 {
                Duration::ZERO
            } else {
                PAUSE.min(Duration::from_millis(10 * doubled))
            }
        })
        .event_callback(move |event| {
            match event {
                Event::Connected => line.send_modify(Line::restore),
                Event::Disconnected | Event::Closed => line.send_modify(Line::cut),
                _ => {}
            }
            async {}
        });
    let options = encrypt(given, prove(way, options)?)?;
    match options.connect(&addresses[..]).await {
        Ok(client) => Ok(Link::new(client, watched, given.timeout, shown)),
        Err(error) => {
            let trouble = match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    Trouble::Forbidden
                }
                _ => Trouble::Unreachable,
            };
            let why = if trouble == Trouble::Forbidden {
                "it does not accept these credentials".to_owned()
            } else {
                error.to_string()
            };
            Err(StoreError::new(trouble, format!("cannot connect to {shown}: {why}")))
        }
    }
}

/// How we prove who we are.
#[derive(PartialEq, Eq)]
enum Way {
    Nothing,
    Token(String),
    User(String, String),
    Nkey(String),
    Credentials(String),
}

/// The addresses without what is secret in them, the same for people, and the one way of proving.
fn resolve(given: &JetStreamOptions) -> Result<(Vec<ServerAddr>, String, Way), StoreError> {
    let refuse = |words: String| Err(StoreError::new(Trouble::Other, words));
    if given.servers.is_empty() {
        return refuse(
            "no server is given; give at least one address like nats://127.0.0.1:4222".into(),
        );
    }
    let (mut addresses, mut shown, mut in_address) = (Vec::new(), Vec::new(), Way::Nothing);
    for server in &given.servers {
        let (scheme, rest) = server.split_once("://").unwrap_or(("nats", server));
        let (user, host) =
            rest.rsplit_once('@').map_or((None, rest), |(user, host)| (Some(user), host));
        let plain = format!("{scheme}://{host}");
        if !matches!(scheme, "nats" | "tls") {
            return refuse(format!(
                "the address {plain} has the scheme {scheme}; a JetStream store takes nats:// and tls://"
            ));
        }
        match plain.parse::<ServerAddr>() {
            Ok(address) if !host.is_empty() => addresses.push(address),
            _ => {
                return refuse(format!(
                    "the address {plain} cannot be read; it is like nats://HOST:4222"
                ));
            }
        }
        shown.push(plain);
        if let (Some(user), Way::Nothing) = (user, &in_address) {
            in_address = match user.split_once(':') {
                Some((user, password)) => Way::User(decoded(user), decoded(password)),
                None => Way::Token(decoded(user)),
            };
        }
    }
    if given.user.is_some() != given.password.is_some() {
        return refuse("user and password have to be given together".into());
    }
    let user = given.user.clone().zip(given.password.clone());
    let ways = [
        given.token.clone().map(Way::Token),
        user.map(|(user, password)| Way::User(user, password)),
        given.nkey.clone().map(Way::Nkey),
        given.credentials.clone().map(Way::Credentials),
    ];
    let mut ways = ways.into_iter().flatten();
    let way = match (ways.next(), ways.next()) {
        (Some(_), Some(_)) => {
            return refuse(
                "several of token, user, nkey and credentials are given; give only one of them"
                    .into(),
            );
        }
        (Some(way), None) => way,
        (None, _) if in_address != Way::Nothing => in_address,
        (None, _) => from_environment(),
    };
    Ok((addresses, shown.join(","), way))
}

fn from_environment() -> Way {
    let named = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    named("POSTHOUSE_CREDENTIALS")
        .map(Way::Credentials)
        .or_else(|| named("POSTHOUSE_TOKEN").map(Way::Token))
        .unwrap_or(Way::Nothing)
}

/// Undoes `%40` and the like; what is no such code stays.
fn decoded(text: &str) -> String {
    let (mut out, bytes, mut at) = (Vec::new(), text.as_bytes(), 0);
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(meant) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            out.push(meant);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn prove(way: Way, options: ConnectOptions) -> Result<ConnectOptions, StoreError> {
    let refuse = |words: String| StoreError::new(Trouble::Forbidden, words);
    Ok(match way {
        Way::Nothing => options,
        Way::Token(token) => options.token(token),
        Way::User(user, password) => options.user_and_password(user, password),
        Way::Nkey(seed) => {
            if !seed.starts_with("SU") {
                return Err(refuse("nkey is no user's seed; it begins with SU".into()));
            }
            options.nkey(seed)
        }
        Way::Credentials(source) => {
            let text = if source.contains("-----BEGIN") {
                source
            } else {
                // The whole path is shown only if it is surely one.
                std::fs::read_to_string(Path::new(&source)).map_err(|error| {
                    let shown = if source.contains('/') { &source } else { "credentials" };
                    refuse(format!("cannot read {shown}: {error}"))
                })?
            };
            options.credentials(&text).map_err(|_| {
                refuse(
                    "credentials hold no readable user JWT and seed; see `nsc generate creds`"
                        .into(),
                )
            })?
        }
    })
}

fn encrypt(
    given: &JetStreamOptions,
    mut options: ConnectOptions,
) -> Result<ConnectOptions, StoreError> {
    let tls = &given.tls;
    if *tls == super::JetStreamTls::default() {
        return Ok(options);
    }
    options = options.require_tls(true);
    if let Some(file) = &tls.ca_file {
        options = options.add_root_certificates(file.clone());
    }
    match (&tls.cert_file, &tls.key_file) {
        (Some(cert), Some(key)) => {
            options = options.add_client_certificate(cert.clone(), key.clone());
        }
        (None, None) => {}
        _ => {
            let words = "tls.cert_file and tls.key_file have to be given together";
            return Err(StoreError::new(Trouble::Other, words));
        }
    }
    Ok(if tls.handshake_first { options.tls_first() } else { options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_addresses_are_used_and_not_shown() {
        let options = JetStreamOptions::parse("nats://ann:p%40ss:w@h1:4223, h2").unwrap();
        let (addresses, shown, way) = resolve(&options).unwrap();
        assert_eq!((addresses.len(), &shown[..]), (2, "nats://h1:4223,nats://h2"));
        assert!(way == Way::User("ann".into(), "p@ss:w".into()));
        let (_, _, way) = resolve(&JetStreamOptions::parse("tls://t0ken@h").unwrap()).unwrap();
        assert!(way == Way::Token("t0ken".into()));
        let given = JetStreamOptions { token: Some("other".into()), ..options };
        assert!(resolve(&given).unwrap().2 == Way::Token("other".into()));
        assert!(!format!("{given:?}").contains("other"));
    }

    #[test]
    fn wrong_options_are_refused_without_secrets() {
        let with = |change: fn(&mut JetStreamOptions)| {
            let mut options = JetStreamOptions::parse("nats://h").unwrap();
            change(&mut options);
            resolve(&options).err().expect("refused").words().to_owned()
        };
        for words in [
            with(|o| o.servers.clear()),
            with(|o| o.servers = vec!["ws://u:s3cret@h".into()]),
            with(|o| o.servers = vec!["nats://s3cret@".into()]),
            with(|o| o.user = Some("ann".into())),
            with(|o| (o.token, o.nkey) = (Some("s3cret".into()), Some("SUs3cret".into()))),
        ] {
            assert!(!words.contains("s3cret"), "{words}");
        }
    }

    #[test]
    fn unreadable_credentials_are_not_repeated() {
        for wrong in ["SUs3cret", "-----BEGIN NATS USER JWT-----\ns3cret"] {
            let way = Way::Credentials(wrong.into());
            let error = prove(way, ConnectOptions::new()).expect_err("refused");
            assert_eq!(error.trouble(), Trouble::Forbidden);
            assert!(!error.words().contains("s3cret"), "{error}");
        }
    }
}
