//! Being called.
use super::{Value, http, read::read_call, write::write_fault, write::write_response};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

/// The largest call read.
const MAX_CALL: usize = 4 << 20;
/// How many callers are listened to at a time; others wait.
const MAX_CALLERS: usize = 64;
/// How long a caller may take for a call, or say nothing.
const PATIENCE: Duration = Duration::from_secs(15);

/// What can be called.
pub(in super::super) trait Methods: Send + Sync + 'static {
    /// The result, or what is wrong with the call.
    fn call(
        &self,
        method: &str,
        params: &[Value],
    ) -> impl Future<Output = Result<Value, String>> + Send;
}

/// Answers calls until it is dropped.
pub(in super::super) async fn serve(listener: TcpListener, methods: Arc<impl Methods>) {
    let callers = Arc::new(Semaphore::new(MAX_CALLERS));
    let mut running = tokio::task::JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&callers).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let methods = Arc::clone(&methods);
                running.spawn(async move {
                    let _permit = permit;
                    // A caller that misbehaves is cut off, and knows best why.
                    let _ = caller(stream, &*methods).await;
                });
                while running.try_join_next().is_some() {}
            }
            // Out of descriptors: those in use have to go first.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn caller(stream: TcpStream, methods: &impl Methods) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        let Some(message) = timeout(PATIENCE, http::read(&mut stream, MAX_CALL)).await?? else {
            return Ok(());
        };
        let is_post = message.start.starts_with("POST ");
        let (status, body) = if is_post {
            let result = match read_call(&message.body) {
                Ok((method, params)) => methods.call(&method, &params).await,
                Err(what) => Err(format!("no call of XML-RPC: {what}")),
            };
            let body = match result {
                Ok(value) => write_response(&value),
                Err(what) => write_fault(1, &what),
            };
            ("200 OK", body)
        } else {
            ("405 Method Not Allowed", String::new())
        };
        let keep = message.keep && is_post;
        let connection = if keep { "keep-alive" } else { "close" };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/xml\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
            body.len()
        );
        timeout(PATIENCE, stream.write_all((head + &body).as_bytes())).await??;
        if !keep {
            return Ok(());
        }
    }
}
