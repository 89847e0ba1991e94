//! The configuration that docs/security.md prints lets a program do everything in its namespace, and
//! nothing in another one.
use futures_util::StreamExt as _;
use posthouse::{Code, Hub, Result, json};
use posthouse_testkit::{Binary, NatsServer};

/// The fenced block of the page that configures users.
fn printed_configuration() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/security.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, rest) = page.split_once("```\nauthorization").expect("the block");
    let (block, _) = rest.split_once("```").expect("its end");
    format!("authorization{}", block.replace("$WORKSHOP_PASSWORD", "secret"))
}

async fn hub(server: &NatsServer, namespace: &str) -> Result<Hub> {
    Hub::builder(namespace).servers([server.url()]).user("workshop", "secret").connect().await
}

#[tokio::test]
async fn the_printed_permissions_are_enough_and_not_more() -> Result<()> {
    for binary in [Binary::System, Binary::Current] {
        if !binary.available() {
            continue;
        }
        let server = NatsServer::builder().binary(binary).config(&printed_configuration()).start();
        let (first, second) = (hub(&server, "workshop").await?, hub(&server, "workshop").await?);

        // State, both ways, and confirmed.
        first.var("lamp")?.set(&json!(1))?;
        first.flush(None).await?;
        let mut seen = second.var("lamp")?.watch()?.values();
        while seen.next().await.is_some_and(|value| value != Some(json!(1))) {}

        // Events, also to a queue group, and requests.
        let mut events = second.var("event.>")?.subscribe().queue("group").await?;
        first.var("event.x")?.publish(&json!("hello"))?;
        assert_eq!(events.next().await.map(|event| event.data()), Some(json!("hello")));
        let handler =
            second.var("ask")?.handle(|wish| async move { Ok::<_, posthouse::Error>(wish.data()) });
        let _handler = handler.await?;
        assert_eq!(first.var("ask")?.request(&json!([7])).await?, json!([7]));

        // They see each other.
        let mut lists = first.instances().watch();
        while lists.next().await.is_some_and(|list| list.len() < 2) {}
        first.flush(None).await?;

        // Another namespace is out of reach: not even a connection comes to be active there.
        let timeout = std::time::Duration::from_secs(1);
        let other = Hub::builder("office")
            .servers([server.url()])
            .user("workshop", "secret")
            .timeout(timeout)
            .open()?;
        let refused = match other.connected(timeout).await {
            Ok(()) => other.var("x")?.subscribe().await.map(drop).expect_err("must be refused"),
            Err(error) => error,
        };
        assert_eq!(refused.code(), Code::PermissionDenied, "{binary:?}: {refused}");
        other.close().await?;
        first.drain(None).await?;
        second.drain(None).await?;
    }
    Ok(())
}
