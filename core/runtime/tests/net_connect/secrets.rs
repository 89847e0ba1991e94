//! Nothing that can be printed contains a secret, in whatever form.

use super::*;
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use posthouse_testkit::{Creds, FakeServer, NatsServer, NkeyUser, Proxy};
use std::fmt::Debug;

/// Looks for secrets in everything it is shown.
struct Censor(Vec<String>);

impl Censor {
    fn new(secrets: &[&str]) -> Self {
        let mut forms = Vec::new();
        for &secret in secrets {
            let bytes = secret.as_bytes();
            let encoded = |b: u8| format!("%{b:02X}");
            let percent = bytes.iter().copied().map(encoded).collect::<Vec<_>>().concat();
            let partly: String = secret
                .chars()
                .map(|c| match c {
                    c if c.is_ascii_alphanumeric() => c.to_string(),
                    c => format!("%{:02X}", c as u32),
                })
                .collect();
            let padded = BASE64.encode(bytes);
            let json = format!("{secret:?}");
            forms.extend([
                secret.to_owned(),
                percent.to_lowercase(),
                percent,
                partly,
                // The last characters depend on what follows in a longer text.
                padded[..padded.len() - 4].to_owned(),
                BASE64URL_NOPAD.encode(bytes),
                HEXLOWER.encode(bytes),
                json[1..json.len() - 1].to_owned(),
                format!("{bytes:?}").trim_matches(['[', ']']).to_owned(),
            ]);
        }
        Self(forms)
    }

    fn look(&self, text: &str) {
        for form in &self.0 {
            assert!(!text.contains(form.as_str()), "a secret shows: {text}");
        }
    }

    fn debug(&self, shown: &impl Debug) {
        self.look(&format!("{shown:?}"));
        self.look(&format!("{shown:#?}"));
    }

    fn error(&self, error: &Error) {
        self.debug(error);
        self.look(&error.to_string());
    }
}

#[tokio::test]
async fn no_way_of_saying_who_we_are_shows() {
    let creds = Creds::generate();
    let ann = creds.user("ann");
    let file = std::fs::read_to_string(&ann.file).expect("reading");
    let nkey = NkeyUser::generate();
    let (token, password) = ("t0ken/with+odd@signs", "pa55 wörd:%40");
    let censor = Censor::new(&[token, password, &nkey.seed, &ann.seed, &ann.jwt]);

    let in_url = format!("nats://ann:{}@", "pa55%20w%C3%B6rd%3A%2540");
    let ways = [
        ("nats://", AuthOptions { token: Some(token.into()), ..nobody() }),
        (
            "nats://",
            AuthOptions { user: Some("ann".into()), password: Some(password.into()), ..nobody() },
        ),
        ("nats://", AuthOptions { nkey: Some(nkey.seed.as_str().into()), ..nobody() }),
        ("nats://", AuthOptions { credentials: Some(file.as_str().into()), ..nobody() }),
        (in_url.as_str(), nobody()),
        ("nats://t0ken%2Fwith%2Bodd%40signs@", nobody()),
    ];

    let refusing = NatsServer::builder().token("another").start();
    let knowing = NatsServer::builder().nkey(&NkeyUser::generate().public_key).start();
    let gone = Proxy::to_port(1);
    gone.refuse();
    let silent = FakeServer::start().await;
    for (start, auth) in &ways {
        censor.debug(auth);
        let url = |port: u16| format!("{start}127.0.0.1:{port}");
        for port in [refusing.port(), knowing.port(), gone.port()] {
            let endpoint = at(&url(port));
            censor.debug(&endpoint);
            censor.look(&endpoint.to_string());
            let error = try_all(&url(port), &no_tls(), auth).await.expect_err("not let in");
            censor.error(&error);
        }
        // Reached, but CONNECT not sent yet: everything that was found out can be printed.
        let established = reach(&url(knowing.port()), &no_tls(), auth).await;
        censor.debug(&established);
        let short = Duration::from_millis(50);
        let error = establish(&at(&url(silent.port())), &no_tls(), auth, short).await;
        censor.error(&error.expect_err("silence"));
        let error =
            try_all(&url(refusing.port()).replace("nats://", "tls://"), &no_tls(), auth).await;
        censor.error(&error.expect_err("no TLS there"));
    }
}

#[tokio::test]
async fn a_server_cannot_make_us_repeat_a_secret() {
    // A server that answers with what it was told, as a badly chosen error text.
    let server = FakeServer::start().await;
    let endpoint = at(&server.url());
    let censor = Censor::new(&["hunter2-hunter2"]);
    let auth = AuthOptions { token: Some("hunter2-hunter2".into()), ..nobody() };
    let tls = no_tls();
    let script = async {
        let mut connection = server.accept().await;
        connection.send(server.info("")).await;
        let line = connection.expect_line("CONNECT ").await;
        connection.send(format!("-ERR 'Authorization Violation {line}'\r\n")).await;
        connection.close().await;
    };
    let (result, ()) = tokio::join!(probe(&endpoint, &tls, &auth, LONG), script);
    let error = result.expect_err("refused");
    assert_eq!(error.code(), Code::AuthFailed);
    censor.error(&error);
}
