//! Credentials files and nkeys: a user's JWT and seed, and the signature of the server's nonce.

use super::secret::Secret;
use data_encoding::BASE64URL_NOPAD;
use nkeys::{KeyPair, KeyPairType};
use posthouse_core::{Code, Error, Result};
use zeroize::Zeroizing;

/// The longest credentials file taken, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// What a credentials file holds.
pub(super) struct Credentials {
    pub(super) jwt: Secret,
    pub(super) seed: Secret,
}

/// A nonce signed with a seed.
pub(super) struct Signed {
    pub(super) public_key: String,
    /// Base64 (URL alphabet, no padding), as CONNECT wants it.
    pub(super) signature: String,
}

/// Signs the nonce with a user's seed.
pub(super) fn sign(seed: &Secret, nonce: &str) -> Result<Signed> {
    // The crate's own errors are dropped: they could repeat parts of the seed.
    let bad = || {
        Error::new(
            Code::InvalidOptions,
            "the nkey is not a user's seed: 58 characters beginning with SU are expected",
        )
    };
    let seed = seed.reveal().trim();
    let pair = KeyPair::from_seed(seed).map_err(|_| bad())?;
    if !seed.starts_with("SU") || pair.key_pair_type() != KeyPairType::User {
        return Err(bad());
    }
    let signature = pair.sign(nonce.as_bytes()).map_err(|_| bad())?;
    Ok(Signed { public_key: pair.public_key(), signature: BASE64URL_NOPAD.encode(&signature) })
}

/// Reads credentials from a file, or from the text of one if `source` is such a text. Blocks.
pub(super) fn load(source: &Secret) -> Result<Credentials> {
    let source = source.reveal();
    if source.contains("-----BEGIN") {
        return parse(source, "the credentials given as text");
    }
    // Who gives a seed or a JWT where a path is due must not find it in a log.
    let named = if source.contains(['/', '\\']) || source.contains(".creds") {
        format!("the credentials file {source:?}")
    } else {
        "the credentials file".to_owned()
    };
    let fail = |why: String| Error::new(Code::InvalidOptions, format!("{named} {why}"));
    let size = std::fs::metadata(source)
        .map_err(|e| fail(format!("cannot be read: {}; give the path of a .creds file", e.kind())))?
        .len();
    if size > MAX_FILE_BYTES {
        return Err(fail(format!("has {size} bytes; at most {MAX_FILE_BYTES} are allowed")));
    }
    let text = std::fs::read(source)
        .map(Zeroizing::new)
        .map_err(|e| fail(format!("cannot be read: {}", e.kind())))?;
    let text = std::str::from_utf8(&text).map_err(|_| fail("is not text".into()))?;
    parse(text, &named)
}

fn parse(text: &str, named: &str) -> Result<Credentials> {
    let jwt = section(text, "NATS USER JWT", named)?;
    let seed = section(text, "USER NKEY SEED", named)?;
    let parts: Vec<&str> = jwt.split('.').collect();
    let encoded = |part: &&str| !part.is_empty() && BASE64URL_NOPAD.decode(part.as_bytes()).is_ok();
    if parts.len() != 3 || !parts.iter().all(encoded) {
        return Err(Error::new(
            Code::InvalidOptions,
            format!("{named}: the section NATS USER JWT holds no JWT"),
        ));
    }
    let seed = Secret::new(seed);
    sign(&seed, "").map_err(|_| {
        Error::new(
            Code::InvalidOptions,
            format!("{named}: the section USER NKEY SEED holds no user's seed"),
        )
    })?;
    Ok(Credentials { jwt: Secret::new(jwt), seed })
}

/// The one line between `-----BEGIN title-----` and `------END title------`.
fn section<'a>(text: &'a str, title: &str, named: &str) -> Result<&'a str> {
    let fail = |why: &str| {
        Err(Error::new(Code::InvalidOptions, format!("{named}: the section {title} {why}")))
    };
    let marks = |line: &str, word: &str| {
        line.starts_with("---")
            && line.ends_with("---")
            && line.trim_matches('-').trim().strip_prefix(word).is_some_and(|t| t.trim() == title)
    };
    let mut lines = text.lines().map(str::trim);
    if !lines.any(|line| marks(line, "BEGIN")) {
        return fail("is missing");
    }
    let mut content = None;
    loop {
        match lines.next() {
            Some("") => {}
            Some(line) if marks(line, "END") => break,
            Some(line) if line.starts_with("---") => return fail("has no end"),
            Some(line) if content.is_none() => content = Some(line),
            Some(_) => return fail("has more than one line"),
            None => return fail("has no end"),
        }
    }
    if lines.any(|line| marks(line, "BEGIN")) {
        return fail("is there twice");
    }
    match content {
        Some(content) => Ok(content),
        None => fail("is empty"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JWT: &str = "eyJ0eXAiOiJKV1QifQ.e30.c2ln";

    fn seed() -> String {
        KeyPair::new_user().seed().expect("a new pair has a seed")
    }

    fn file(jwt: &str, seed: &str) -> String {
        format!(
            "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n*** words ***\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    }

    #[test]
    fn a_good_file_is_read() {
        let seed = seed();
        for text in [file(JWT, &seed), file(JWT, &seed).replace('\n', "\r\n")] {
            let credentials = parse(&text, "it").expect("credentials");
            assert_eq!(credentials.jwt.reveal(), JWT);
            assert_eq!(credentials.seed.reveal(), seed);
            assert!(load(&Secret::new(text)).is_ok());
        }
    }

    #[test]
    fn a_bad_file_is_refused_without_its_secrets() {
        let seed = seed();
        let account = KeyPair::new_account().seed().expect("a new pair has a seed");
        let good = file(JWT, &seed);
        let mut broken = seed.clone().into_bytes();
        broken[20] = if broken[20] == b'A' { b'B' } else { b'A' };
        let broken = String::from_utf8(broken).expect("ASCII");
        for text in [
            String::new(),
            file("", &seed),
            file(JWT, ""),
            file("a.b", &seed),
            file("a.b.!", &seed),
            file(JWT, &seed[1..]),
            file(JWT, &account),
            file(JWT, &broken),
            format!("{good}{good}"),
            good.replace("------END NATS USER JWT------", ""),
            good.replace("BEGIN USER NKEY SEED", "BEGIN SOMETHING"),
            good[..good.len() - 30].to_owned(),
            file(&format!("{JWT}\n{JWT}"), &seed),
        ] {
            let error = parse(&text, "it").err().expect("an error");
            assert_eq!(error.code(), Code::InvalidOptions);
            let shown = format!("{error} {error:?}");
            for secret in [&seed[4..], &account[4..], &broken[4..], JWT] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }

    #[test]
    fn a_secret_in_place_of_a_path_is_not_repeated() {
        let seed = seed();
        for wrong in [seed.as_str(), JWT] {
            let error = load(&wrong.into()).err().expect("an error");
            assert!(!format!("{error:?}").contains(wrong), "{error}");
        }
        let error = load(&"/no/such/file.creds".into()).err().expect("an error");
        assert!(error.message().contains("/no/such/file.creds"), "{error}");
    }

    #[test]
    fn signatures_verify() {
        let pair = KeyPair::new_user();
        let signed = sign(&pair.seed().expect("a seed").into(), "nonce").expect("a signature");
        assert_eq!(signed.public_key, pair.public_key());
        let raw = BASE64URL_NOPAD.decode(signed.signature.as_bytes()).expect("base64");
        pair.verify(b"nonce", &raw).expect("a valid signature");
    }
}
