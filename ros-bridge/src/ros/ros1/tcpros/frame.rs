//! Messages on a connection: a length of four bytes, then so many bytes.
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Memory that is taken on the mere word of a length; more is taken as bytes come.
const FIRST: usize = 64 << 10;

/// What was read from a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Read {
    /// A message.
    Message(Vec<u8>),
    /// A message of that many bytes, more than allowed; it was thrown away.
    Oversize(u32),
}

/// Reads messages off a connection.
#[derive(Debug)]
pub struct Frames<R> {
    stream: tokio::io::BufReader<R>,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// Reads from `stream`, which is past its header.
    pub fn new(stream: R) -> Self {
        Self { stream: tokio::io::BufReader::with_capacity(FIRST, stream) }
    }

    /// The next message of at most `most` bytes; `None` at the end of the connection.
    pub async fn next(&mut self, most: usize) -> io::Result<Option<Read>> {
        let Some(length) = read_length(&mut self.stream).await? else { return Ok(None) };
        if length as usize > most {
            let mut rest = (&mut self.stream).take(length.into());
            let thrown = tokio::io::copy_buf(&mut rest, &mut tokio::io::sink()).await?;
            if thrown < length.into() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            return Ok(Some(Read::Oversize(length)));
        }
        let mut body = Vec::new();
        read_body(&mut self.stream, length, &mut body).await?;
        Ok(Some(Read::Message(body)))
    }
}

/// A length; `None` where the connection ends before it.
pub(in super::super) async fn read_length<R: AsyncRead + Unpin>(
    stream: &mut R,
) -> io::Result<Option<u32>> {
    let mut length = [0; 4];
    let mut have = 0;
    while have < 4 {
        let read = stream.read(length.get_mut(have..).unwrap_or_default()).await?;
        if read == 0 {
            return if have == 0 { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        have += read;
    }
    Ok(Some(u32::from_le_bytes(length)))
}

/// So many bytes, appended to `out`.
pub(in super::super) async fn read_body<R: AsyncRead + Unpin>(
    stream: &mut R,
    length: u32,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let length = length as usize;
    if length <= FIRST {
        let start = out.len();
        out.resize(start + length, 0);
        stream.read_exact(out.get_mut(start..).unwrap_or_default()).await?;
        return Ok(());
    }
    out.reserve(FIRST);
    if stream.take(length as u64).read_to_end(out).await? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// Writes a length and so many bytes, as one piece where they are few.
pub(in super::super) async fn write_frame<W: AsyncWrite + Unpin>(
    stream: &mut W,
    before: &[u8],
    body: &[u8],
) -> io::Result<()> {
    let mut head = Vec::with_capacity(before.len() + 4 + body.len().min(FIRST));
    head.extend_from_slice(before);
    head.extend_from_slice(&(body.len() as u32).to_le_bytes());
    if body.len() <= FIRST {
        head.extend_from_slice(body);
        return stream.write_all(&head).await;
    }
    stream.write_all(&head).await?;
    stream.write_all(body).await
}
