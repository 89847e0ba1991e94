//! Headers: about the data, beside the data. Names in any case, values repeated and in order.
use posthouse::{Answer, Headers, Hub, Result, json};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-headers").connect().await?;
    let order = hub.var("order")?;
    let _handler = order
        .handle(|request| async move {
            let headers = request.headers();
            println!("trace: {}", headers.get("TRACE-ID").unwrap_or("none"));
            println!("tags: {:?}", headers.get_all("tag").collect::<Vec<_>>());
            let mut back = Headers::new();
            back.insert("served-by", "example")?;
            Ok::<_, posthouse::Error>(Answer::new(json!("accepted")).with_headers(back))
        })
        .await?;

    let mut headers = Headers::new();
    headers.insert("Trace-Id", "a1b2")?;
    headers.append("tag", "fragile")?;
    headers.append("Tag", "urgent")?;
    let reply = order.request(&json!({"item": 7})).headers(headers).detailed().await?;
    println!("{} from {}", reply.data, reply.headers.get("served-by").unwrap_or("nobody"));

    let refused = Headers::new().insert("note", "two\nlines");
    println!("refused: {}", refused.map_or_else(|error| error.code().as_str(), |()| "nothing"));
    hub.drain(None).await
}
