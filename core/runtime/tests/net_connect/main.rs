//! The connector against real servers, and against some that are none.

mod auth;
mod faults;
mod secrets;
mod tls;
mod websocket;

use posthouse::net::{
    AuthOptions, ConnectFields, Endpoint, Established, Secret, TlsConfigCache, TlsOptions,
    establish, probe,
};
use posthouse_core::{Code, Error};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Far more than a healthy attempt needs.
const LONG: Duration = Duration::from_secs(20);

fn at(url: &str) -> Endpoint {
    Endpoint::parse(url).expect("a server's URL")
}

fn no_tls() -> TlsConfigCache {
    tls(TlsOptions::default())
}

fn tls(options: TlsOptions) -> TlsConfigCache {
    TlsConfigCache::new(options).expect("TLS options that fit together")
}

fn trusting(ca: &Path) -> TlsOptions {
    TlsOptions { ca_file: Some(ca.to_owned()), ..TlsOptions::default() }
}

fn nobody() -> AuthOptions {
    AuthOptions::default()
}

/// A full connection, CONNECT and its answer included.
async fn try_all(url: &str, tls: &TlsConfigCache, auth: &AuthOptions) -> Result<Duration, Error> {
    probe(&at(url), tls, auth, LONG).await
}

async fn works(url: &str, tls: &TlsConfigCache, auth: &AuthOptions) {
    try_all(url, tls, auth).await.unwrap_or_else(|e| panic!("{url}: {e}"));
}

async fn fails(url: &str, tls: &TlsConfigCache, auth: &AuthOptions, code: Code) -> Error {
    match try_all(url, tls, auth).await {
        Ok(_) => panic!("{url} let us in where {code} was due"),
        Err(e) => {
            assert_eq!(e.code(), code, "{e}");
            e
        }
    }
}

async fn reach(url: &str, tls: &TlsConfigCache, auth: &AuthOptions) -> Established {
    establish(&at(url), tls, auth, LONG).await.unwrap_or_else(|e| panic!("{url}: {e}"))
}

/// CONNECT as the hub would say it, with what `fields` hold.
fn connect_line(fields: &ConnectFields) -> String {
    let secret = |s: &Option<Secret>| s.as_ref().map(|s| s.reveal().to_owned());
    let mut options = serde_json::json!({
        "verbose": false, "headers": true, "protocol": 1, "tls_required": fields.tls_required,
    });
    for (name, value) in [
        ("user", secret(&fields.user)),
        ("pass", secret(&fields.pass)),
        ("auth_token", secret(&fields.auth_token)),
        ("jwt", secret(&fields.jwt)),
        ("nkey", fields.nkey.clone()),
        ("sig", fields.sig.clone()),
    ] {
        if let Some(value) = value {
            options[name] = value.into();
        }
    }
    format!("CONNECT {options}\r\n")
}

/// Sends a message of this size to oneself and checks that every byte comes back.
async fn echo(connection: &mut Established, size: usize) {
    let payload: Vec<u8> = (0..size).map(|i| b'a' + (i % 23) as u8).collect();
    let mut out = connect_line(&connection.connect).into_bytes();
    out.extend_from_slice(format!("SUB e 1\r\nPUB e {size}\r\n").as_bytes());
    out.extend_from_slice(&payload);
    out.extend_from_slice(b"\r\nPING\r\n");
    connection.stream.write_all(&out).await.expect("writing");
    connection.stream.flush().await.expect("flushing");
    let mut expected = format!("MSG e 1 {size}\r\n").into_bytes();
    expected.extend_from_slice(&payload);
    expected.extend_from_slice(b"\r\nPONG\r\n");
    let mut got = connection.leftover.clone();
    // The server may say more, another INFO for example, before and after.
    loop {
        let start = got.windows(8).position(|w| w == b"MSG e 1 ");
        if let Some(answer) = start.and_then(|at| got.get(at..at + expected.len())) {
            assert!(answer == expected, "what came back is not what was sent");
            return;
        }
        let count = connection.stream.read_buf(&mut got).await.expect("reading");
        assert!(count > 0, "closed after {} bytes", got.len());
    }
}
