//! The fields that two nodes tell each other when they connect.
use crate::ros::{Code, Error, Result};
use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    time::timeout,
};

/// The longest header, in bytes: definitions are in it.
pub const MAX_HEADER: usize = 2 << 20;
/// How many fields one may have.
const MAX_FIELDS: usize = 256;
/// How long the other side may take for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection header: names and values, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    fields: Vec<(String, String)>,
}

impl Header {
    /// A header of these fields.
    pub fn new<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { fields: fields.collect() }
    }

    /// The value of a field; the last one counts.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether the field is there and is `1`.
    pub fn is_set(&self, name: &str) -> bool {
        self.get(name) == Some("1")
    }

    /// Reads the fields of a header whose length has been read; says what is wrong with it otherwise.
    pub fn decode(mut bytes: &[u8]) -> std::result::Result<Self, String> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let (length, rest) =
                bytes.split_first_chunk::<4>().ok_or("a length that is cut off")?;
            let length = u32::from_le_bytes(*length) as usize;
            let (field, rest) =
                rest.split_at_checked(length).ok_or("a field longer than the header")?;
            bytes = rest;
            if fields.len() == MAX_FIELDS {
                return Err(format!("more than {MAX_FIELDS} fields"));
            }
            let equals = field.iter().position(|byte| *byte == b'=').ok_or("a field without =")?;
            let (name, value) = field.split_at(equals);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            fields.push((text(name), text(value.get(1..).unwrap_or_default())));
        }
        Ok(Self { fields })
    }

    /// The bytes of the header with its length before it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        for (name, value) in &self.fields {
            out.extend_from_slice(&((name.len() + 1 + value.len()) as u32).to_le_bytes());
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            out.extend_from_slice(value.as_bytes());
        }
        let length = (out.len() - 4) as u32;
        if let Some(place) = out.first_chunk_mut::<4>() {
            *place = length.to_le_bytes();
        }
        out
    }
}

/// Reads the other side's header.
pub(in super::super) async fn read_header<R: AsyncRead + Unpin>(stream: &mut R) -> Result<Header> {
    let read = async {
        let Some(length) = super::read_length(stream).await? else {
            return Err(std::io::Error::new(
                std::io::ErrorKind::UnexpectedEof,
                "the connection was closed",
            ));
        };
        if length as usize > MAX_HEADER {
            let what = format!("a header of {length} bytes; at most {MAX_HEADER} are allowed");
            return Ok(Err(what));
        }
        let mut bytes = Vec::new();
        super::read_body(stream, length, &mut bytes).await?;
        Ok(Header::decode(&bytes))
    };
    match timeout(PATIENCE, read).await {
        Err(_) => Err(Error::new(
            Code::NodeUnreachable,
            format!("no connection header within {} s", PATIENCE.as_secs()),
        )),
        Ok(Err(error)) => Err(Error::new(
            Code::NodeUnreachable,
            format!("no connection header was read: {error}"),
        )),
        Ok(Ok(Err(what))) => {
            Err(Error::new(Code::ProtocolViolation, format!("the connection header has {what}")))
        }
        Ok(Ok(Ok(header))) => Ok(header),
    }
}

/// Sends our header.
pub(in super::super) async fn write_header<W: AsyncWrite + Unpin>(
    stream: &mut W,
    header: &Header,
) -> Result<()> {
    let sent = timeout(PATIENCE, stream.write_all(&header.encode())).await;
    sent.map_err(|_| "the other side does not read".to_owned())
        .and_then(|written| written.map_err(|error| error.to_string()))
        .map_err(|what| {
            Error::new(Code::NodeUnreachable, format!("no connection header was sent: {what}"))
        })
}
