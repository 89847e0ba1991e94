//! R39: nothing of a secret in anything that a program can show, in any of its usual codings.
use crate::role::{Process, say};
use posthouse::{Connection, Hub, TlsOptions, json};
use posthouse_testkit::{Creds, NatsServer, NkeyUser};
use std::{fmt::Debug, time::Duration};

const PASSWORD: &str = "S3CR3T/+";
const TOKEN: &str = "T0K3N-VALUE";

fn show(what: impl Debug) {
    println!("{what:?} {what:#?}");
}

/// Shows everything of hubs that have secrets and of their errors, with the log on.
pub async fn role() {
    let server = NatsServer::builder().token("another").start();
    let key = NkeyUser::generate();
    let creds = Creds::generate();
    let file = creds.user("ann");
    let text = std::fs::read_to_string(&file.file).unwrap();
    // The parent must know what to look for.
    say(&format!("{} {}", key.seed, file.jwt));
    let short = Duration::from_millis(400);
    let at = |user: &str| vec![format!("nats://{user}@127.0.0.1:{}", server.port())];
    let builders = [
        Hub::builder("n").servers(at("u:S3CR3T%2F%2B")),
        Hub::builder("n").servers(at("T0K3N-VALUE")),
        Hub::builder("n").servers(["nats://u:S3CR3T%2F%2B@127.0.0.1:1"]),
        Hub::builder("n").servers([server.url()]).token(TOKEN),
        Hub::builder("n").servers([server.url()]).user("u", PASSWORD),
        Hub::builder("n").servers([server.url()]).nkey(key.seed),
        Hub::builder("n").servers([server.url()]).credentials(text),
        Hub::builder("n").local_port(crate::free_port(), None).token(TOKEN),
        Hub::builder("n").servers(["nats://u:S3CR3T%2F%2B@[bad"]),
        Hub::builder("n").servers(["S3CR3T://T0K3N-VALUE@h"]),
        Hub::builder("n").servers(["nats://u:S3CR3T%2@h"]),
        Hub::builder("n").servers([server.url()]).token(TOKEN).nkey(PASSWORD),
    ];
    for builder in builders {
        let builder = builder.timeout(short);
        show(&builder);
        let hub = match builder.open() {
            Ok(hub) => hub,
            Err(error) => {
                println!("{error}");
                show(error);
                continue;
            }
        };
        if let Err(error) = hub.connected(short).await {
            println!("{error}");
            show(error);
        }
        show(&hub);
        show(hub.status().unwrap());
        println!("{}", serde_json::to_string(&hub.status().unwrap()).unwrap());
        let var = hub.var("x").unwrap();
        show(&var);
        if hub.state().unwrap() == Connection::Connected {
            // The owner of a node: what travels shows nothing, either.
            var.set(&json!(1)).unwrap();
            hub.flush(None).await.unwrap();
        }
        show(hub.instances().list().unwrap());
        hub.close().await.unwrap();
        show(hub.status().unwrap());
    }
    show(TlsOptions::default());
}

/// The codings in which a secret might slip through: as it is, and, wherever it stands in a text,
/// Base64 and hexadecimal.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), data_encoding::HEXLOWER.encode(secret.as_bytes())];
    for offset in 0..3 {
        let shifted = [vec![0; offset], secret.as_bytes().to_vec()].concat();
        let encoded = data_encoding::BASE64.encode(&shifted);
        // Only the digits that depend on the secret alone.
        forms.push(encoded[(offset * 4).div_ceil(3)..encoded.len() - 4].to_owned());
    }
    forms
}

#[test]
fn nothing_shows_them() {
    let mut process = Process::start("secrets", &[("POSTHOUSE_LOG", "debug")]);
    let said = process.hears();
    let shown = process.finish();
    assert!(shown.contains("AUTH_FAILED") && shown.contains("posthouse DEBUG"), "{shown}");
    let (seed, jwt) = said.split_once(' ').expect("a seed and a JWT");
    for secret in ["S3CR3T", "T0K3N-VALUE", &seed[4..30], &jwt[jwt.len() - 30..]] {
        for form in forms(secret) {
            let place = shown.find(&form).map(|at| &shown[at.saturating_sub(200)..at]);
            assert!(place.is_none(), "{form} after …{place:?}");
        }
    }
}
