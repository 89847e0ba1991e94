//! As much of HTTP as two programs on one machine need that both say how long their bodies are.
use crate::Trouble;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufStream},
    net::TcpStream,
};

/// Longer than any batch.
const LONGEST: usize = 64 << 20;

pub struct Connection(BufStream<TcpStream>);

/// A request or an answer.
pub struct Message {
    /// The second word of its first line: a path, or a status.
    pub word: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Message {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self(BufStream::new(stream))
    }

    /// The next message; none where the other end has closed.
    pub async fn receive(&mut self) -> Result<Option<Message>, Trouble> {
        let Some(first) = self.line().await? else { return Ok(None) };
        let word = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = Vec::new();
        while let Some(line) = self.line().await?.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').ok_or("a header without a colon")?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut message = Message { word, headers, body: Vec::new() };
        if message.header("transfer-encoding").is_some() {
            while let length @ 1.. = self.chunk_length().await? {
                self.body(&mut message.body, length).await?;
                self.line().await?;
            }
            self.line().await?;
        } else {
            let length = message.header("content-length").unwrap_or("0").parse()?;
            self.body(&mut message.body, length).await?;
        }
        Ok(Some(message))
    }

    pub async fn answer(&mut self, status: &str, body: &str) -> Result<(), Trouble> {
        self.send(&format!("HTTP/1.1 {status}"), body).await
    }

    pub async fn ask(&mut self, body: &str) -> Result<(), Trouble> {
        self.send("POST / HTTP/1.1\r\nHost: worker", body).await
    }

    async fn send(&mut self, head: &str, body: &str) -> Result<(), Trouble> {
        let head = format!("{head}\r\nContent-Length: {}\r\n\r\n", body.len());
        self.0.write_all(head.as_bytes()).await?;
        self.0.write_all(body.as_bytes()).await?;
        Ok(self.0.flush().await?)
    }

    async fn line(&mut self) -> Result<Option<String>, Trouble> {
        let mut line = String::new();
        let read = (&mut self.0).take(64 << 10).read_line(&mut line).await?;
        Ok((read > 0).then(|| line.trim_end().to_owned()))
    }

    async fn chunk_length(&mut self) -> Result<usize, Trouble> {
        let line = self.line().await?.ok_or("the connection ended in a body")?;
        Ok(usize::from_str_radix(line.split(';').next().unwrap_or_default(), 16)?)
    }

    async fn body(&mut self, body: &mut Vec<u8>, length: usize) -> Result<(), Trouble> {
        let start = body.len();
        if start + length > LONGEST {
            return Err("a body is too long".into());
        }
        body.resize(start + length, 0);
        let part = body.get_mut(start..).ok_or("no body")?;
        self.0.read_exact(part).await?;
        Ok(())
    }
}
