//! Credentials: every way, as values and callbacks, and changed while the hub runs.
use posthouse::{Builder, Code, Credential, json};
use posthouse_faults::{Seen, builder, lost, reconnected, soon, status};
use posthouse_testkit::{Creds, NatsServer, NkeyUser, NodeProcess, until_async};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// A credential that can be changed from outside, and counts how often it is asked for.
#[derive(Clone, Default)]
struct Vault(Arc<(Mutex<String>, AtomicUsize)>);

impl Vault {
    fn of(secret: &str) -> Self {
        let vault = Self::default();
        vault.change(secret);
        vault
    }

    fn change(&self, secret: &str) {
        secret.clone_into(&mut self.0.0.lock().unwrap());
    }

    fn asked(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }

    fn credential(&self) -> Credential {
        let this = self.clone();
        Credential::blocking(move || {
            this.0.1.fetch_add(1, Ordering::SeqCst);
            Ok(this.0.0.lock().unwrap().clone())
        })
    }
}

async fn works(builder: Builder) {
    let hub = builder.connect().await.unwrap();
    let seen = Seen::default();
    seen.subscribe(&hub, "x").await;
    hub.var("x").unwrap().publish(&json!(1)).unwrap();
    seen.wait_for(1).await;
    assert_eq!(status(&hub).reconnects, 0);
}

/// Fails as soon as the server has spoken, while the hub goes on trying.
async fn refused(builder: Builder) {
    let hub = builder.open().unwrap();
    let error = soon("the refusal", hub.connected(None)).await.unwrap_err();
    assert_eq!(error.code(), Code::AuthFailed, "{error}");
    let status = status(&hub);
    assert_eq!(status.current_error.unwrap().code, "AUTH_FAILED");
    assert_eq!(hub.state().unwrap(), posthouse::Connection::Error);
}

#[tokio::test]
async fn tokens() {
    let server = NatsServer::builder().token("T0K3N").start();
    works(builder(server.url()).token("T0K3N")).await;
    works(builder(server.url()).token(Vault::of("T0K3N").credential())).await;
    works(builder(format!("nats://T0K3N@127.0.0.1:{}", server.port()))).await;
    refused(builder(server.url()).token("other")).await;
    refused(builder(server.url())).await;
}

#[tokio::test]
async fn users() {
    let server = NatsServer::builder().user("ann", "pw").start();
    works(builder(server.url()).user("ann", "pw")).await;
    works(builder(server.url()).user("ann", Vault::of("pw").credential())).await;
    works(builder(format!("nats://ann:pw@127.0.0.1:{}", server.port()))).await;
    refused(builder(server.url()).user("ann", "other")).await;
}

#[tokio::test]
async fn nkeys() {
    let key = NkeyUser::generate();
    let server = NatsServer::builder().nkey(&key.public_key).start();
    works(builder(server.url()).nkey(key.seed.clone())).await;
    works(builder(server.url()).nkey(Vault::of(&key.seed).credential())).await;
    refused(builder(server.url()).nkey(NkeyUser::generate().seed)).await;
}

#[tokio::test]
async fn credentials() {
    let creds = Creds::generate();
    let server = NatsServer::builder().creds(&creds).start();
    let file = creds.user("ann").file;
    let text = std::fs::read_to_string(&file).unwrap();
    works(builder(server.url()).credentials(file.to_str().unwrap())).await;
    works(builder(server.url()).credentials(text.clone())).await;
    works(builder(server.url()).credentials(Vault::of(&text).credential())).await;
    let stranger = std::fs::read_to_string(Creds::generate().user("ann").file).unwrap();
    refused(builder(server.url()).credentials(stranger)).await;
    // A file that is not there is told at once, too, and taken as soon as it is.
    let missing = creds.dir().path().join("later.creds");
    let hub = builder(server.url()).credentials(missing.to_str().unwrap()).open().unwrap();
    let error = soon("the reason", hub.connected(None)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidOptions, "{error}");
    assert!(error.message().contains("later.creds"), "{error}");
    std::fs::copy(&file, &missing).unwrap();
    until_async("it is taken", || status(&hub).connection == posthouse::Connection::Connected)
        .await;
}

/// The server's token changes: whoever is connected is thrown out and comes back with the new one.
#[tokio::test]
async fn rotation() {
    let mut server = NatsServer::builder().token("old").start();
    let url = server.url();
    rotated(url, || server.reload(|settings| settings.token("new"))).await;
}

/// The owned node is told its token when it starts.
#[tokio::test]
async fn rotation_at_the_owned_node() {
    let mut node = NodeProcess::start(&["--token", "old"]);
    let url = node.url();
    rotated(url, || node.restart_with(&["--token", "new"])).await;
}

async fn rotated(url: String, rotate: impl FnOnce()) {
    let vault = Vault::of("old");
    let hub = builder(url).token(vault.credential()).connect().await.unwrap();
    let seen = Seen::default();
    seen.subscribe(&hub, "x").await;
    assert_eq!(vault.asked(), 1);
    rotate();
    lost(&hub).await;
    // As long as the vault has the old one, each attempt is refused, and each asks anew.
    until_async("it was asked for again and again", || vault.asked() >= 3).await;
    assert_eq!(status(&hub).current_error.unwrap().code, "AUTH_FAILED");
    vault.change("new");
    reconnected(&hub, 1).await;
    assert_eq!(status(&hub).current_error, None);
    hub.var("x").unwrap().publish(&json!(1)).unwrap();
    seen.wait_for(1).await;
}
