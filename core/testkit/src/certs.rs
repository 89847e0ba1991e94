//! Certificates made for one test: an authority, servers, a client.

use crate::TempDir;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use std::path::PathBuf;

/// A certificate and its private key, as PEM files.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The certificate, signed by the authority of the same [`Certs`].
    pub cert: PathBuf,
    /// Its private key (PKCS#8).
    pub key: PathBuf,
}

/// A fresh certificate authority with what it signed. Two `Certs` trust nothing of each other.
/// The files live as long as this value.
#[derive(Debug)]
pub struct Certs {
    /// The authority's certificate: what a client or server names as its CA file.
    pub ca: PathBuf,
    /// A server certificate for `localhost`, `127.0.0.1` and `::1`.
    pub server: Identity,
    /// A server certificate for `elsewhere.example` only.
    pub other_host: Identity,
    /// A client certificate for mutual TLS.
    pub client: Identity,
    dir: TempDir,
}

impl Certs {
    /// Makes the authority and everything it signs.
    pub fn generate() -> Self {
        let dir = TempDir::new("certs");
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Posthouse test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("an authority's key");
        let ca = CertifiedIssuer::self_signed(params, key).expect("an authority's certificate");

        let issue = |file: &str, names: &[&str], usage| {
            let names: Vec<String> = names.iter().map(|&n| n.to_owned()).collect();
            let mut params = CertificateParams::new(names).expect("names of a certificate");
            params.distinguished_name.push(DnType::CommonName, file);
            params.extended_key_usages = vec![usage];
            let key = KeyPair::generate().expect("a private key");
            let cert = params.signed_by(&key, &ca).expect("a signed certificate");
            Identity {
                cert: dir.write(&format!("{file}.pem"), &cert.pem()),
                key: dir.write(&format!("{file}-key.pem"), &key.serialize_pem()),
            }
        };
        let server_use = ExtendedKeyUsagePurpose::ServerAuth;
        let server = issue("server", &["localhost", "127.0.0.1", "::1"], server_use.clone());
        let other_host = issue("other-host", &["elsewhere.example"], server_use);
        let client = issue("client", &["client.example"], ExtendedKeyUsagePurpose::ClientAuth);
        Self { ca: dir.write("ca.pem", &ca.pem()), server, other_host, client, dir }
    }

    /// The directory of the files.
    pub fn dir(&self) -> &TempDir {
        &self.dir
    }
}
