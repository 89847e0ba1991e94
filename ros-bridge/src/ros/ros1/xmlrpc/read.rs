//! Reading calls and responses: the part of XML that XML-RPC uses, by hand.
//!
//! Comments, processing instructions, CDATA and character references are understood; a document type is refused, so
//! nothing in the text can stand for more than itself. Work and memory are linear in the text.
use super::Value;

/// How deeply values may be nested.
const MAX_DEPTH: usize = 32;
/// How many values a text may have.
const MAX_VALUES: usize = 200_000;

type Result<T> = std::result::Result<T, String>;

/// What a response says.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// The result.
    Value(Value),
    /// The call failed.
    Fault(String),
}

/// Reads a call: the method and its parameters; says what is wrong with it otherwise.
pub fn read_call(text: &str) -> Result<(String, Vec<Value>)> {
    let mut reader = Reader::new(text);
    reader.open("methodCall")?;
    reader.open("methodName")?;
    let method = reader.text()?.trim().to_owned();
    reader.close("methodName")?;
    let mut params = Vec::new();
    if reader.opens("params")? {
        while reader.opens("param")? {
            params.push(reader.value()?);
            reader.close("param")?;
        }
        reader.close("params")?;
    }
    reader.close("methodCall")?;
    Ok((method, params))
}

/// Reads a response; says what is wrong with it otherwise.
pub fn read_response(text: &str) -> Result<Answered> {
    let mut reader = Reader::new(text);
    reader.open("methodResponse")?;
    let answered = if reader.opens("fault")? {
        let value = reader.value()?;
        reader.close("fault")?;
        let text = match &value {
            Value::Struct(members) => members
                .iter()
                .find(|(name, _)| name == "faultString")
                .and_then(|(_, value)| value.as_text()),
            _ => None,
        };
        Answered::Fault(text.unwrap_or("a fault without a text").to_owned())
    } else {
        reader.open("params")?;
        reader.open("param")?;
        let value = reader.value()?;
        reader.close("param")?;
        reader.close("params")?;
        Answered::Value(value)
    };
    reader.close("methodResponse")?;
    Ok(answered)
}

/// A tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag<'a> {
    Open(&'a str),
    Close(&'a str),
    /// `<name/>`
    Empty(&'a str),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// An empty element was opened and is to be closed without a tag.
    pending_close: Option<&'a str>,
    values: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0, pending_close: None, values: 0, depth: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong<T>(&self, what: &str) -> Result<T> {
        Err(format!("byte {}: {what}", self.at))
    }

    /// Passes over comments and processing instructions that start here; whether there was one.
    fn aside(&mut self) -> Result<bool> {
        for (start, end) in [("<!--", "-->"), ("<?", "?>")] {
            if self.rest().starts_with(start) {
                let Some(length) = self.rest().find(end) else {
                    return self.wrong("a comment or instruction without an end");
                };
                self.at += length + end.len();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next tag, after white space.
    fn tag(&mut self) -> Result<Tag<'a>> {
        let (tag, end) = self.peek()?;
        self.at = end;
        Ok(tag)
    }

    /// The next tag, and where it ends.
    fn peek(&mut self) -> Result<(Tag<'a>, usize)> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.aside()? {
                break;
            }
        }
        let rest = self.rest();
        let Some(inner) = rest.strip_prefix('<') else {
            return self.wrong("a tag is wanted here");
        };
        if inner.starts_with('!') {
            return self.wrong("no document types and no text are allowed here");
        }
        let Some(length) = inner.find('>') else { return self.wrong("a tag without an end") };
        let inner = inner.get(..length).unwrap_or_default();
        let end = self.at + length + 2;
        if let Some(name) = inner.strip_prefix('/') {
            return Ok((Tag::Close(name.trim_end()), end));
        }
        let (inner, empty) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
        // Attributes mean nothing here.
        let name = inner.split(char::is_whitespace).next().unwrap_or_default();
        Ok((if empty { Tag::Empty(name) } else { Tag::Open(name) }, end))
    }

    /// Opens `name` if it comes next; whether it did.
    fn opens(&mut self, name: &str) -> Result<bool> {
        if self.pending_close.is_some() {
            return Ok(false);
        }
        let (tag, end) = self.peek()?;
        match tag {
            Tag::Open(found) if found == name => {}
            Tag::Empty(found) if found == name => self.pending_close = Some(found),
            _ => return Ok(false),
        }
        self.at = end;
        Ok(true)
    }

    fn open(&mut self, name: &str) -> Result<()> {
        if self.opens(name)? { Ok(()) } else { self.wrong(&format!("<{name}> is wanted here")) }
    }

    fn close(&mut self, name: &str) -> Result<()> {
        if let Some(pending) = self.pending_close.take() {
            return if pending == name { Ok(()) } else { self.wrong("an empty element") };
        }
        if self.tag()? == Tag::Close(name) {
            return Ok(());
        }
        self.wrong(&format!("</{name}> is wanted before here"))
    }

    /// The text up to the next tag.
    fn text(&mut self) -> Result<String> {
        let mut out = String::new();
        if self.pending_close.is_some() {
            return Ok(out);
        }
        loop {
            let rest = self.rest();
            let length = rest.find(['<', '&']).unwrap_or(rest.len());
            plain(rest.get(..length).unwrap_or_default(), &mut out);
            self.at += length;
            let rest = self.rest();
            if let Some(inner) = rest.strip_prefix("<![CDATA[") {
                let Some(length) = inner.find("]]>") else {
                    return self.wrong("CDATA without an end");
                };
                plain(inner.get(..length).unwrap_or_default(), &mut out);
                self.at += 9 + length + 3;
            } else if rest.starts_with('&') {
                self.reference(&mut out)?;
            } else if !self.aside()? {
                return Ok(out);
            }
        }
    }

    /// A character reference.
    fn reference(&mut self, out: &mut String) -> Result<()> {
        let rest = self.rest();
        // None is longer than &#1114111;
        let Some(length) = rest.bytes().take(12).position(|byte| byte == b';') else {
            return self.wrong("& without ;");
        };
        let name = rest.get(1..length).unwrap_or_default();
        let number = name.strip_prefix('#').and_then(|digits| match digits.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        });
        let c = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => number.and_then(char::from_u32),
        };
        let Some(c) = c else { return self.wrong("a reference to no character") };
        out.push(c);
        self.at += length + 1;
        Ok(())
    }

    fn value(&mut self) -> Result<Value> {
        self.open("value")?;
        let value = self.inside_value()?;
        self.close("value")?;
        Ok(value)
    }

    fn inside_value(&mut self) -> Result<Value> {
        self.values += 1;
        if self.values > MAX_VALUES || self.depth >= MAX_DEPTH {
            return self.wrong("too many values, or nested too deeply");
        }
        // Text before a type's tag is white space; without a tag it is the value.
        let text = self.text()?;
        if self.pending_close.is_some() || self.rest().starts_with("</") || self.rest().is_empty() {
            return Ok(Value::Text(text));
        }
        let kind = match self.tag()? {
            Tag::Open(kind) => kind,
            Tag::Empty(kind) => {
                self.pending_close = Some(kind);
                kind
            }
            Tag::Close(_) => return self.wrong("no end of an element is expected here"),
        };
        self.depth += 1;
        let value = self.typed(kind)?;
        self.depth -= 1;
        self.close(kind)?;
        Ok(value)
    }

    fn typed(&mut self, kind: &str) -> Result<Value> {
        match kind {
            "array" => {
                let mut values = Vec::new();
                if self.opens("data")? {
                    while self.opens("value")? {
                        values.push(self.inside_value()?);
                        self.close("value")?;
                    }
                    self.close("data")?;
                }
                return Ok(Value::Array(values));
            }
            "struct" => {
                let mut members = Vec::new();
                while self.opens("member")? {
                    self.open("name")?;
                    let name = self.text()?;
                    self.close("name")?;
                    members.push((name, self.value()?));
                    self.close("member")?;
                }
                return Ok(Value::Struct(members));
            }
            _ => {}
        }
        let text = self.text()?;
        let word = text.trim();
        let value = match kind {
            "string" => Some(Value::Text(text)),
            "i4" | "int" => word.parse().ok().map(Value::Int),
            "boolean" => match word {
                "0" => Some(Value::Bool(false)),
                "1" => Some(Value::Bool(true)),
                _ => None,
            },
            "double" => word.parse().ok().map(Value::Double),
            "dateTime.iso8601" => Some(Value::Date(word.to_owned())),
            "base64" => {
                let plain: String = text.split_whitespace().collect();
                data_encoding::BASE64.decode(plain.as_bytes()).ok().map(Value::Binary)
            }
            "nil" => Some(Value::Nil),
            _ => return self.wrong("no type of XML-RPC"),
        };
        value.map_or_else(|| self.wrong(&format!("this is no {kind}")), Ok)
    }
}

/// Appends text with its line ends as XML sees them.
fn plain(text: &str, out: &mut String) {
    if text.contains('\r') {
        out.push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
    } else {
        out.push_str(text);
    }
}
