//! Permissions: refused at once and by name, not restored, taken away by a reload.
use posthouse::{Builder, Code, Error, Hub, Value, json};
use posthouse_faults::{LONG, Seen, builder, open, reconnected, soon, status};
use posthouse_testkit::{NatsServer, ServerBuilder, until_async};
use std::fmt::Write as _;

/// `faults` as it is in subjects.
const NS: &str = "6661756c7473";

fn message(name: &str) -> String {
    let mut subject = format!("_msg.v1.{NS}.");
    for byte in name.bytes() {
        write!(subject, "{byte:02x}").expect("a String takes it");
    }
    subject
}

/// A server with one user that lacks something, and one that may do everything.
fn server(permissions: &str) -> ServerBuilder {
    NatsServer::builder().user_with("some", "pw", permissions).user("all", "pw")
}

fn user(server: &NatsServer, name: &str) -> Builder {
    builder(server.url()).user(name, "pw")
}

async fn pair(server: &NatsServer) -> (Hub, Hub) {
    let open = |name| async move { user(server, name).connect().await.unwrap() };
    (open("some").await, open("all").await)
}

async fn denied<T: std::fmt::Debug>(what: &str, call: impl Future<Output = Result<T, Error>>) {
    let error = soon(what, call).await.unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied, "{what}: {error}");
}

/// R44: `sub` and `handle` fail by name, others are untouched, and no later connection asks again.
#[tokio::test]
async fn a_refused_subscription_is_not_restored() {
    let secret = message("secret");
    let mut server = server(&format!("subscribe: {{ deny: [\"{secret}\"] }}")).verbose().start();
    let (some, all) = pair(&server).await;
    let fine = Seen::default();
    fine.subscribe(&some, "fine").await;
    let forbidden = some.var("secret").unwrap();
    let call = async { forbidden.subscribe().timeout(LONG).await };
    denied("subscribe", call).await;
    let handle = forbidden.handle(|_| async { Ok::<Value, Error>(json!(1)) }).timeout(LONG);
    denied("handle", async { handle.await }).await;
    assert_eq!(status(&some).messaging.unwrap().subscriptions, Some(1));
    server.restart();
    reconnected(&some, 1).await;
    reconnected(&all, 1).await;
    all.var("fine").unwrap().publish(&json!(1)).unwrap();
    fine.wait_for(1).await;
    let asked = |subject: &str| server.log().matches(&format!("SUB {subject} ")).count();
    // One for each call above; the restart added none, as it did for the other.
    assert_eq!(asked(&secret), 2);
    assert_eq!(asked(&message("fine")), 2);
}

/// R44: without its inbox no request can be answered; each is told so at once.
#[tokio::test]
async fn a_refused_inbox_fails_every_request_at_once() {
    let mut server = server("subscribe: { deny: [\"_INBOX.>\"] }").verbose().start();
    let (some, all) = pair(&server).await;
    let _handle =
        all.var("ask").unwrap().handle(|_| async { Ok::<Value, Error>(json!(1)) }).await.unwrap();
    let ask = some.var("ask").unwrap();
    for _ in 0..2 {
        denied("request", async { ask.request(&json!(1)).timeout(LONG).await }).await;
        let many = async { ask.request_many(&json!(1)).timeout(LONG).detailed().await };
        denied("request_many", async { many.await.map_err(Error::from) }).await;
    }
    server.restart();
    reconnected(&some, 1).await;
    some.flush(None).await.unwrap();
    // The inbox is asked for by a request only, never by a connection.
    let log = server.log();
    let (_, after) = log.rsplit_once("Server is ready").expect("two starts");
    assert_eq!(after.matches("SUB _INBOX").count(), 0, "{after}");
    denied("request", async { ask.request(&json!(1)).timeout(LONG).await }).await;
}

#[tokio::test]
async fn a_refused_publish_is_told_by_flush_and_a_refused_request_by_itself() {
    let ask = message("ask");
    let state = format!("{NS}.{}", "6c616d70");
    let server = server(&format!("publish: {{ deny: [\"{ask}\", \"{state}\"] }}")).start();
    let (some, all) = pair(&server).await;
    let ask = some.var("ask").unwrap();
    ask.publish(&json!(1)).unwrap();
    denied("flush", some.flush(LONG)).await;
    soon("the next flush", some.flush(LONG)).await.unwrap();
    denied("request", async { ask.request(&json!(1)).timeout(LONG).await }).await;
    let lamp = some.var("lamp").unwrap();
    lamp.set(&json!("on")).unwrap();
    denied("flush", some.flush(LONG)).await;
    assert!(lamp.meta().unwrap().pending);
    assert_eq!(status(&some).pending_variables, 1);
    let error = status(&some).last_error.unwrap();
    assert_eq!(error.code, "PERMISSION_DENIED");
    assert!(error.message.contains("\"lamp\""), "{}", error.message);
    assert_eq!(status(&some).reconnects, 0);
    // Others write it all the same.
    all.var("lamp").unwrap().set(&json!("off")).unwrap();
    all.var("lamp").unwrap().set(&json!("off again")).unwrap();
    until_async("the other's write wins", || lamp.value().unwrap() == Some(json!("off again")))
        .await;
    assert!(!lamp.meta().unwrap().pending);
}

/// A reload takes the right away: the subscription ends and says why, the hub stays.
#[tokio::test]
async fn a_reload_ends_a_subscription_and_nothing_else() {
    let mut server = server("").start();
    let (some, all) = pair(&server).await;
    let fine = Seen::default();
    fine.subscribe(&some, "fine").await;
    let mut lost = some.var("secret").unwrap().subscribe().await.unwrap();
    let secret = message("secret");
    server.reload(|settings| {
        settings
            .no_auth()
            .user_with("some", "pw", &format!("subscribe: {{ deny: [\"{secret}\"] }}"))
            .user("all", "pw")
    });
    let end = soon("the end", futures_util::StreamExt::next(&mut lost)).await;
    assert!(end.is_none());
    let error = lost.error().expect("why it ended");
    assert_eq!(error.code(), Code::PermissionDenied);
    assert!(error.message().contains("\"secret\""), "{error}");
    let told = lost.status().unwrap().error.expect("its status says so, too");
    assert_eq!(told.code, "PERMISSION_DENIED");
    all.var("fine").unwrap().publish(&json!(1)).unwrap();
    fine.wait_for(1).await;
    assert_eq!(status(&some).reconnects, 0);
    assert_eq!(status(&all).reconnects, 0);
}

/// A user that may not even join: the hub says what is missing and harms nothing.
#[tokio::test]
async fn a_user_without_the_state_of_the_namespace() {
    let server = server(&format!("subscribe: {{ deny: [\"{NS}.*\"] }}")).start();
    let some = user(&server, "some").connect().await.unwrap();
    until_async("it is reported", || status(&some).last_error.is_some()).await;
    let error = status(&some).last_error.unwrap();
    assert_eq!(error.code, "PERMISSION_DENIED");
    assert!(error.message.contains(NS), "{}", error.message);
    some.flush(None).await.unwrap();
    let open = open(format!("nats://all:pw@127.0.0.1:{}", server.port())).await;
    open.var("x").unwrap().publish(&json!(1)).unwrap();
}
