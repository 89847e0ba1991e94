//! Where a server is: the parsed form of a server's URL.

use super::secret::Secret;
use posthouse_core::{Code, Error, Result};
use std::fmt;
use std::net::Ipv6Addr;

/// How to reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `nats://`: TCP, with TLS where the server or the options ask for it.
    Tcp,
    /// `tls://`: TCP, and nothing without TLS.
    Tls,
    /// `ws://`: WebSocket, without TLS.
    Ws,
    /// `wss://`: WebSocket over TLS.
    Wss,
}

impl Scheme {
    /// The scheme as it is written in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "nats",
            Self::Tls => "tls",
            Self::Ws => "ws",
            Self::Wss => "wss",
        }
    }

    /// Whether the NATS protocol travels in WebSocket frames.
    pub fn is_websocket(self) -> bool {
        matches!(self, Self::Ws | Self::Wss)
    }

    fn default_port(self) -> u16 {
        match self {
            Self::Tcp | Self::Tls => 4222,
            Self::Ws => 80,
            Self::Wss => 443,
        }
    }
}

/// Credentials written into a URL; used where the options name none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserInfo {
    /// `nats://TOKEN@host`.
    Token(Secret),
    /// `nats://USER:PASSWORD@host`.
    User(Secret, Secret),
}

/// One server's address. Shows itself without its credentials and without the query of its path.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// How to reach it.
    pub scheme: Scheme,
    /// Host name in lower case, IPv4 or IPv6 address, the latter without brackets. It is also the
    /// name that the server's certificate has to bear.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Path and query of a WebSocket's URL, `/` if none is given; `/` for the others.
    pub path: String,
    /// Credentials from the URL.
    pub userinfo: Option<UserInfo>,
}

/// Schemes that people try; only these are repeated in an error, because the text before `://`
/// may be part of a password.
const FOREIGN_SCHEMES: [&str; 8] =
    ["http", "https", "tcp", "ssl", "mqtt", "mqtts", "amqp", "redis"];

impl Endpoint {
    /// Parses `nats://`, `tls://`, `ws://`, `wss://` URLs and bare `host` or `host:port`, which mean
    /// `nats://`. The port is 4222 unless given, 80 for `ws://`, 443 for `wss://`. IPv6 addresses
    /// stand in brackets. User information is percent-decoded.
    ///
    /// Fails with `INVALID_SERVER`; the message repeats nothing that could be a secret.
    pub fn parse(url: &str) -> Result<Self> {
        if url.is_empty() {
            return Err(invalid("the server's URL is empty"));
        }
        if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(invalid("the server's URL contains a space or control character"));
        }
        let (scheme, rest) = match url.split_once("://") {
            None => (Scheme::Tcp, url),
            Some((scheme, rest)) => (parse_scheme(scheme)?, rest),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (userinfo, address) = match authority.rsplit_once('@') {
            None => (None, authority),
            Some((userinfo, address)) => (Some(parse_userinfo(userinfo)?), address),
        };
        let (host, port) = parse_address(address)?;
        let port = port.unwrap_or(scheme.default_port());
        Ok(Self { scheme, host, port, path: parse_path(scheme, path)?, userinfo })
    }

    /// The server that this one's INFO names as `address` (`host:port`, or a URL): reached the way
    /// this one is, with the same credentials of the URL unless the address bears its own.
    pub fn gossiped(&self, address: &str) -> Result<Self> {
        let mut found = Self::parse(address)?;
        if !address.contains("://") {
            found.scheme = self.scheme;
        }
        if found.scheme.is_websocket() && found.path == "/" {
            found.path.clone_from(&self.path);
        }
        found.userinfo = found.userinfo.or_else(|| self.userinfo.clone());
        Ok(found)
    }

    /// Whether both name the same port of the same host, whatever the credentials.
    pub fn same_server(&self, other: &Self) -> bool {
        self.host == other.host
            && self.port == other.port
            && self.scheme.is_websocket() == other.scheme.is_websocket()
    }

    /// `host:port`, with brackets around an IPv6 address.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.authority())?;
        // The query may be a secret of a proxy in between.
        match self.path.split('?').next() {
            Some(path) if path != "/" => f.write_str(path),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

impl std::str::FromStr for Endpoint {
    type Err = Error;
    fn from_str(url: &str) -> Result<Self> {
        Self::parse(url)
    }
}

fn invalid(what: impl fmt::Display) -> Error {
    Error::new(
        Code::InvalidServer,
        format!("{what}; write it as nats://host:port (or tls://, ws://, wss://)"),
    )
}

fn parse_scheme(scheme: &str) -> Result<Scheme> {
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_str() {
        "nats" => Ok(Scheme::Tcp),
        "tls" => Ok(Scheme::Tls),
        "ws" => Ok(Scheme::Ws),
        "wss" => Ok(Scheme::Wss),
        known if FOREIGN_SCHEMES.contains(&known) => {
            Err(invalid(format_args!("a server's URL cannot begin with {known}://")))
        }
        _ => Err(invalid("the server's URL begins with an unknown scheme")),
    }
}

fn parse_userinfo(text: &str) -> Result<UserInfo> {
    match text.split_once(':') {
        Some((user, password)) => {
            Ok(UserInfo::User(percent_decode(user)?, percent_decode(password)?))
        }
        None if text.is_empty() => {
            Err(invalid("the server's URL has an @ without user or token before it"))
        }
        None => Ok(UserInfo::Token(percent_decode(text)?)),
    }
}

fn percent_decode(text: &str) -> Result<Secret> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|b| char::from(b).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
            _ => {
                return Err(invalid(
                    "the user or password in the server's URL has a % without two hexadecimal \
                     digits after it (write a % itself as %25)",
                ));
            }
        }
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| invalid("the user or password in the server's URL is not UTF-8"))?;
    if text.chars().any(char::is_control) {
        return Err(invalid(
            "the user or password in the server's URL holds a line break or another control \
             character",
        ));
    }
    Ok(Secret::new(text))
}

fn parse_address(address: &str) -> Result<(String, Option<u16>)> {
    let (host, port) = if let Some(rest) = address.strip_prefix('[') {
        let (host, port) = rest
            .split_once(']')
            .ok_or_else(|| invalid("the server's URL has a [ without a ] after it"))?;
        if host.parse::<Ipv6Addr>().is_err() {
            return Err(invalid("what stands in brackets in the server's URL is no IPv6 address"));
        }
        match port.strip_prefix(':') {
            None if port.is_empty() => (host, None),
            None => return Err(invalid("only :port may follow the ] in a server's URL")),
            port => (host, port),
        }
    } else {
        match address.split_once(':') {
            Some((_, port)) if port.contains(':') => {
                return Err(invalid(
                    "the server's URL has too many colons; an IPv6 address stands in brackets, \
                     as in nats://[::1]:4222",
                ));
            }
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        }
    };
    if host.is_empty() {
        return Err(invalid("the server's URL names no host"));
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b':');
    if !host.bytes().all(plain) {
        return Err(invalid(
            "the host in the server's URL has characters other than letters, digits, '-', '.' and \
             '_' (write other alphabets in their xn-- form)",
        ));
    }
    if host.len() > 253 {
        return Err(invalid("the host in the server's URL is longer than 253 characters"));
    }
    let port = match port {
        None => None,
        // No signs or the like, which parse() would take.
        Some(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            let port = text.parse().ok().filter(|&port| port != 0);
            Some(port.ok_or_else(|| invalid("the port in the server's URL is not in 1–65535"))?)
        }
        Some(_) => return Err(invalid("the port in the server's URL is not a number")),
    };
    Ok((host.to_ascii_lowercase(), port))
}

fn parse_path(scheme: Scheme, path: &str) -> Result<String> {
    if path.contains('#') {
        return Err(invalid("a server's URL has no #fragment"));
    }
    if !path.is_ascii() {
        return Err(invalid("the path of the server's URL is not ASCII (percent-encode it)"));
    }
    if !scheme.is_websocket() && !matches!(path, "" | "/") {
        return Err(invalid("only ws:// and wss:// URLs have a path"));
    }
    Ok(if path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        Endpoint::parse(url).unwrap_or_else(|e| panic!("{url}: {e}")).to_string()
    }

    #[test]
    fn every_form_is_read() {
        for (url, expected) in [
            ("localhost", "nats://localhost:4222"),
            ("localhost:1", "nats://localhost:1"),
            ("nats://Example.COM", "nats://example.com:4222"),
            ("nats://127.0.0.1:65535/", "nats://127.0.0.1:65535"),
            ("NATS://a_b-c.d", "nats://a_b-c.d:4222"),
            ("tls://h", "tls://h:4222"),
            ("ws://h", "ws://h:80"),
            ("wss://h", "wss://h:443"),
            ("wss://h:9222/a/b?key=hunter2", "wss://h:9222/a/b"),
            ("ws://h?key=hunter2", "ws://h:80"),
            ("[::1]", "nats://[::1]:4222"),
            ("tls://u:p@[fe80::1]:7", "tls://[fe80::1]:7"),
            ("u:p@h:7", "nats://h:7"),
            ("nats://u:p@q@h:7", "nats://h:7"),
        ] {
            assert_eq!(shown(url), expected, "{url}");
        }
        let parsed = Endpoint::parse("ws://h/x?y=%20z").expect("a path");
        assert_eq!(parsed.path, "/x?y=%20z");
    }

    #[test]
    fn userinfo_is_decoded() {
        let userinfo = |url| Endpoint::parse(url).expect("a URL").userinfo;
        assert_eq!(userinfo("nats://t%40k@h"), Some(UserInfo::Token("t@k".into())));
        assert_eq!(
            userinfo("nats://a%3Ab:%c3%a9:@h"),
            Some(UserInfo::User("a:b".into(), "é:".into()))
        );
        assert_eq!(userinfo("nats://u:@h"), Some(UserInfo::User("u".into(), "".into())));
        assert_eq!(userinfo("nats://h"), None);
    }

    #[test]
    fn what_is_wrong_is_refused_without_repeating_it() {
        for url in [
            "",
            "http://hunter2.example",
            "hunter2://h",
            "nats://",
            "nats://:4222",
            "nats://h:0",
            "nats://h:65536",
            "nats://h:+1",
            "nats://h:",
            "nats://h:hunter2",
            "nats://hunter2:x/y@h:1",
            "nats://@h",
            "nats://u:hunter2%zz@h",
            "nats://u:hunter2%ff@h",
            "nats://u:hunter2%4@h",
            "nats://h/hunter2",
            "nats://h?hunter2",
            "ws://h/#hunter2",
            "::1",
            "nats://::1:4222",
            "[hunter2]:1",
            "[::1",
            "[::1]x",
            "nats://h h",
            "nats://h\u{0}",
            "nats://hé",
            "ws://h/é",
            "nats://h$x",
        ] {
            let error = Endpoint::parse(url).expect_err(url);
            assert_eq!(error.code(), Code::InvalidServer, "{url}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn nothing_shown_is_secret() {
        let endpoint = Endpoint::parse("ws://ann:hunter2@h/p?k=hunter2").expect("a URL");
        for text in [format!("{endpoint}"), format!("{endpoint:?}"), format!("{endpoint:#?}")] {
            assert!(!text.contains("hunter2") && !text.contains("ann"), "{text}");
        }
        assert!(!format!("{:?}", endpoint.userinfo).contains("hunter2"));
    }

    #[test]
    fn gossip_inherits() {
        let known = Endpoint::parse("tls://u:p@a:1").expect("a URL");
        let found = known.gossiped("10.0.0.2:4222").expect("an address");
        assert_eq!(found.to_string(), "tls://10.0.0.2:4222");
        assert_eq!(found.userinfo, known.userinfo);
        assert!(known.gossiped("10.0.0.2:0").is_err());
        assert!(known.same_server(&Endpoint::parse("nats://A:1").expect("a URL")));
        assert!(!known.same_server(&Endpoint::parse("ws://a:1").expect("a URL")));
        let ws = Endpoint::parse("ws://a/p").expect("a URL").gossiped("b:2").expect("an address");
        assert_eq!(ws.to_string(), "ws://b:2/p");
    }
}
