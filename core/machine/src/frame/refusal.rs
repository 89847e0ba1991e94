//! What a server's `-ERR` text says.

/// What was refused by permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal<'a> {
    /// A publication to this subject.
    Publish(&'a str),
    /// A subscription to this subject; `sid` where the server names it.
    Subscribe {
        /// The subject, or pattern, as it was sent.
        subject: &'a str,
        /// The queue group, where the server names it.
        queue: Option<&'a str>,
        /// The subscription's number, where the server names it.
        sid: Option<u64>,
    },
}

/// A server's error, as far as the hub acts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerError<'a> {
    /// One operation was refused; the connection lives.
    Refused(Refusal<'a>),
    /// Something else was refused by permissions; the connection lives.
    Permission,
    /// The credentials were refused, have expired or were revoked; the connection ends.
    Auth,
    /// The server cut this client because it reads too slowly.
    SlowConsumer,
    /// A message was larger than the server takes; the connection ends.
    MaxPayload,
    /// Anything else; the server closes the connection where it must.
    Other,
}

impl<'a> ServerError<'a> {
    /// Reads the text of an `-ERR` line, quotes removed.
    pub fn parse(text: &'a str) -> Self {
        const PUBLISH: &str = "permissions violation for publish to ";
        const SUBSCRIBE: &str = "permissions violation for subscription to ";
        if let Some(rest) = strip(text, PUBLISH) {
            return quoted(rest)
                .map_or(Self::Permission, |(subject, _)| Self::Refused(Refusal::Publish(subject)));
        }
        if let Some(rest) = strip(text, SUBSCRIBE) {
            let Some((subject, rest)) = quoted(rest) else { return Self::Permission };
            let queue = find(rest, "using queue ").and_then(quoted).map(|(q, _)| q);
            let sid = find(rest, "(sid ").and_then(quoted).and_then(|(s, _)| s.parse().ok());
            return Self::Refused(Refusal::Subscribe { subject, queue, sid });
        }
        let starts = |prefix: &str| strip(text, prefix).is_some();
        if starts("authorization violation")
            || starts("authentication")
            || starts("user authentication")
            || starts("account authentication")
        {
            Self::Auth
        } else if starts("permissions violation") {
            Self::Permission
        } else if starts("slow consumer") {
            Self::SlowConsumer
        } else if starts("maximum payload violation") {
            Self::MaxPayload
        } else {
            Self::Other
        }
    }
}

fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn find<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.find(word).map(|at| &text[at + word.len()..])
}

/// The text between the first pair of double quotes, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('"')?.split_once('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_real_servers() {
        let publish = "Permissions Violation for Publish to \"_msg.v1.61\"";
        assert_eq!(
            ServerError::parse(publish),
            ServerError::Refused(Refusal::Publish("_msg.v1.61"))
        );
        let queue = "Permissions Violation for Subscription to \"a.*\" using queue \"q\"";
        assert_eq!(
            ServerError::parse(queue),
            ServerError::Refused(Refusal::Subscribe {
                subject: "a.*",
                queue: Some("q"),
                sid: None
            })
        );
        let reload = "Permissions Violation for Subscription to \"a\" (sid \"12\")";
        assert_eq!(
            ServerError::parse(reload),
            ServerError::Refused(Refusal::Subscribe { subject: "a", queue: None, sid: Some(12) })
        );
        assert_eq!(ServerError::parse("Authorization Violation"), ServerError::Auth);
        assert_eq!(ServerError::parse("Authentication Timeout"), ServerError::Auth);
        assert_eq!(ServerError::parse("User Authentication Expired"), ServerError::Auth);
        assert_eq!(ServerError::parse("Slow Consumer"), ServerError::SlowConsumer);
        assert_eq!(ServerError::parse("Maximum Payload Violation"), ServerError::MaxPayload);
        assert_eq!(ServerError::parse("Permissions Violation for é"), ServerError::Permission);
        let reply = "Permissions Violation for Publish with Reply of \"x\"";
        assert_eq!(ServerError::parse(reply), ServerError::Permission);
        assert_eq!(ServerError::parse("é"), ServerError::Other);
    }
}
