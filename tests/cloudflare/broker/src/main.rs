//! `posthouse-cloudflare-broker CONFIG PORT`: stands behind the queue binding of a workerd, on that port of the loopback (0: any, which
//! it prints), and keeps what it is sent in the queue `Q` of the configuration. Once its standard input tells a port
//! it delivers batches to the workerd that listens there, which answers with what came of the event.
mod http;
mod platform;

use posthouse_queue::{Batch, Config, Queues};
use std::{error::Error, io::Write as _, net::Ipv4Addr};
use tokio::net::{TcpListener, TcpStream};

/// What ends something here; all that is done with it is telling it.
type Trouble = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Trouble> {
    let [config, port]: [String; 2] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "give CONFIG and PORT")?;
    let port: u16 = port.parse()?;
    let queues = Queues::open(Config::json(&config)?)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    tokio::spawn(consume(queues.clone()));
    loop {
        let (stream, _) = listener.accept().await?;
        let queues = queues.clone();
        tokio::spawn(async move {
            if let Err(error) = serve(stream, &queues).await {
                eprintln!("a connection ended: {error}");
            }
        });
    }
}

/// Consumes from when there is somebody to deliver to.
async fn consume(queues: Queues) {
    let told = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).ok();
        line.trim().parse::<u16>().ok()
    });
    let Ok(Some(port)) = told.await else { return };
    match queues.consume("Q", move |batch| deliver(batch, port)).await {
        Ok(mut running) => {
            if let Err(error) = running.ended().await {
                eprintln!("the consumer ended: {error}");
            }
        }
        Err(refusal) => eprintln!("there is no consumer: {refusal}"),
    }
}

/// Answers the requests of one connection, one after the other.
async fn serve(stream: TcpStream, queues: &Queues) -> Result<(), Trouble> {
    let mut connection = http::Connection::new(stream);
    while let Some(request) = connection.receive().await? {
        match platform::accept(queues, &request).await {
            Ok(()) => connection.answer("200 OK", platform::ACCEPTED).await?,
            Err(words) => connection.answer("400 Bad Request", &words).await?,
        }
    }
    Ok(())
}

/// Has a batch handled by the workerd, and says of each message what the handler said.
async fn deliver(batch: Batch, port: u16) -> Result<(), Trouble> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let mut connection = http::Connection::new(stream);
    let text = batch.read_batch_text().map_err(|refusal| refusal.to_string())?;
    connection.ask(&text).await?;
    let answer = connection.receive().await?.ok_or("the worker went away")?;
    let outcome = platform::Outcome::read(&answer.body)?;
    let ids: Vec<String> = batch.messages().into_iter().map(|message| message.id).collect();
    for (index, id) in ids.iter().enumerate() {
        if outcome.is_done(id) {
            batch.ack(index).await?;
        } else if let Some(delay) = outcome.comes_again(id) {
            batch.retry(index, delay).await?;
        }
    }
    if outcome.is_success() { Ok(()) } else { Err(outcome.to_string().into()) }
}
