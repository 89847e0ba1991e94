//! Which web pages may open a WebSocket. Every page that a browser shows can reach a loopback port;
//! its origin, which it cannot forge, is what tells a page of this machine from one of the world.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a handshake with this `Origin` header is accepted. [`crate::NodeOptions`] states the rule.
pub(crate) fn is_allowed(origin: Option<&[u8]>, allowed: &[String]) -> bool {
    let Some(origin) = origin else { return true };
    let Ok(origin) = std::str::from_utf8(origin) else { return false };
    allowed.iter().any(|entry| entry == "*" || entry.eq_ignore_ascii_case(origin))
        || is_local(&origin.to_ascii_lowercase())
}

fn is_local(origin: &str) -> bool {
    let Some(("http" | "https", authority)) = origin.split_once("://") else { return false };
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let Some((host, port)) = rest.split_once(']') else { return false };
            if host.parse() != Ok(Ipv6Addr::LOCALHOST) {
                return false;
            }
            ("localhost", port)
        }
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = port.is_empty() || port.strip_prefix(':').is_some_and(|p| p.parse::<u16>().is_ok());
    port && (host == "localhost" || host.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_machine() {
        for good in [
            "http://localhost",
            "https://LOCALHOST:5173",
            "http://127.0.0.1:80",
            "http://127.1.2.3",
            "http://[::1]",
            "https://[::1]:8443",
        ] {
            assert!(is_allowed(Some(good.as_bytes()), &[]), "{good}");
        }
        for bad in [
            "null",
            "",
            "file://",
            "http://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://127.0.0.1:80.example.com",
            "http://example.com:80@localhost",
            "http://user@localhost",
            "ftp://localhost",
            "http://[::2]",
            "http://[::1].example.com",
            "http://128.0.0.1",
            "http://0.0.0.0",
        ] {
            assert!(!is_allowed(Some(bad.as_bytes()), &[]), "{bad}");
        }
        assert!(is_allowed(None, &[]));
        assert!(!is_allowed(Some(b"\xff"), &["*".into()]));
    }

    #[test]
    fn more_can_be_listed() {
        let listed = ["https://app.example".to_owned(), "null".to_owned()];
        assert!(is_allowed(Some(b"https://app.example"), &listed));
        assert!(is_allowed(Some(b"null"), &listed));
        assert!(!is_allowed(Some(b"https://app.example:8443"), &listed));
        assert!(is_allowed(Some(b"https://any.example"), &["*".to_owned()]));
    }
}
