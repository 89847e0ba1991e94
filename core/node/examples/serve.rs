//! A node by itself: `cargo run -p posthouse-node --example serve -- [PORT [TOKEN]]`, port 4222 by
//! default, until its standard input ends.
use std::time::Duration;

use posthouse_node::{Node, NodeOptions};
use tokio::io::AsyncReadExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut options = NodeOptions::default();
    if let Some(port) = args.next() {
        options.port = port.parse()?;
        options.ws_port = Some(0);
    }
    options.token = args.next();
    let node = Node::bind(options).await?;
    println!("{} ws://{:?}", node.client_url(), node.ws_addr());
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    println!("{:?}", node.stats());
    node.shutdown(Duration::from_secs(1)).await;
    Ok(())
}
