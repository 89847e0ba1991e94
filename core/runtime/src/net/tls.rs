//! TLS as the options ask for it: rustls, the system's roots or a CA file, client certificates.

use super::endpoint::{Endpoint, Scheme};
use posthouse_core::{Code, Error, Result};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{
    self, AlertDescription, CertificateError, ClientConfig, InvalidMessage, RootCertStore,
};

/// The TLS options. Any of them given means that connections without TLS are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// PEM file of the authorities to trust; the system's if not given.
    pub ca_file: Option<PathBuf>,
    /// PEM file of our own certificate (and those between it and the authority); needs `key_file`.
    pub cert_file: Option<PathBuf>,
    /// PEM file of our certificate's private key; needs `cert_file`.
    pub key_file: Option<PathBuf>,
    /// TLS before INFO, as servers with `handshake_first` want it.
    pub handshake_first: bool,
}

impl TlsOptions {
    /// Whether anything is asked for.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.ca_file, &self.cert_file, &self.key_file].into_iter().flatten()
    }
}

/// The TLS options of a hub and what was made from them. The files are read when first needed and
/// again when they have changed, so renewed certificates are taken at the next attempt. It also
/// remembers which servers have required TLS: from these, nothing less is accepted any more.
/// Cheap to clone; clones share what they remember.
#[derive(Clone, Debug)]
pub struct TlsConfigCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: TlsOptions,
    made: Mutex<Option<(Stamp, Arc<ClientConfig>)>>,
    required: Mutex<HashSet<(String, u16)>>,
}

/// When the files were changed last; `None` for one that cannot be looked at.
type Stamp = Vec<Option<(SystemTime, u64)>>;

impl TlsConfigCache {
    /// Checks the options among themselves (`INVALID_OPTIONS`); files are not read yet.
    pub fn new(options: TlsOptions) -> Result<Self> {
        if options.cert_file.is_some() != options.key_file.is_some() {
            return Err(Error::new(
                Code::InvalidOptions,
                "tls.cert_file and tls.key_file have to be given together",
            ));
        }
        Ok(Self(Arc::new(Inner {
            options,
            made: Mutex::new(None),
            required: Mutex::new(HashSet::new()),
        })))
    }

    /// The options.
    pub fn options(&self) -> &TlsOptions {
        &self.0.options
    }

    /// Whether a connection to this server must not go on without TLS.
    pub(super) fn demanded(&self, endpoint: &Endpoint) -> bool {
        endpoint.scheme == Scheme::Tls || self.options().is_given() || {
            let required = self.0.required.lock().unwrap_or_else(PoisonError::into_inner);
            required.contains(&(endpoint.host.clone(), endpoint.port))
        }
    }

    /// Remembers that this server requires TLS.
    pub(super) fn remember_required(&self, endpoint: &Endpoint) {
        let mut required = self.0.required.lock().unwrap_or_else(PoisonError::into_inner);
        required.insert((endpoint.host.clone(), endpoint.port));
    }

    /// Makes the handshake; the certificate has to bear the endpoint's host.
    pub(super) async fn connect(
        &self,
        endpoint: &Endpoint,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(endpoint.host.clone()).map_err(|_| {
            Error::new(
                Code::InvalidServer,
                format!("the host of {endpoint} is no name that a certificate can bear"),
            )
        })?;
        let config = self.config().await?;
        TlsConnector::from(config)
            .connect(name, stream)
            .await
            .map_err(|e| super::io_error(&endpoint.to_string(), &e))
    }

    async fn config(&self) -> Result<Arc<ClientConfig>> {
        let inner = Arc::clone(&self.0);
        // Reading files, the system's roots above all, takes milliseconds.
        tokio::task::spawn_blocking(move || inner.config())
            .await
            .unwrap_or_else(|_| Err(Error::new(Code::Internal, "preparing TLS failed")))
    }
}

impl Inner {
    fn config(&self) -> Result<Arc<ClientConfig>> {
        let stamp: Stamp = self
            .options
            .files()
            .map(|file| {
                let meta = std::fs::metadata(file).ok()?;
                Some((meta.modified().ok()?, meta.len()))
            })
            .collect();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, config)) = &*made
            && *of == stamp
        {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(build(&self.options)?);
        *made = Some((stamp, Arc::clone(&config)));
        Ok(config)
    }
}

fn build(options: &TlsOptions) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::new(Code::Internal, format!("TLS cannot be set up: {e}")))?
        .with_root_certificates(roots(options.ca_file.as_deref())?);
    let (Some(cert_file), Some(key_file)) = (&options.cert_file, &options.key_file) else {
        return Ok(builder.with_no_client_auth());
    };
    let chain = certificates("tls.cert_file", cert_file)?;
    let key = PrivateKeyDer::from_pem_file(key_file)
        .map_err(|e| bad_file("tls.key_file", key_file, &pem_problem(&e, "private key")))?;
    builder.with_client_auth_cert(chain, key).map_err(|_| {
        Error::new(
            Code::InvalidOptions,
            format!(
                "tls.key_file {} does not hold the key of the certificate in tls.cert_file {}",
                key_file.display(),
                cert_file.display()
            ),
        )
    })
}

fn roots(ca_file: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = ca_file {
        for certificate in certificates("tls.ca_file", file)? {
            roots.add(certificate).map_err(|_| {
                bad_file("tls.ca_file", file, "holds a certificate that cannot be an authority's")
            })?;
        }
        return Ok(roots);
    }
    let native = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(native.certs);
    if roots.is_empty() {
        return Err(Error::new(
            Code::InvalidOptions,
            "this system has no trusted certificate authorities; name one in tls.ca_file",
        ));
    }
    Ok(roots)
}

fn certificates(option: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = || -> Result<Vec<_>, pem::Error> {
        let all: Vec<_> = CertificateDer::pem_file_iter(file)?.collect::<Result<_, _>>()?;
        if all.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(all) }
    };
    read().map_err(|e| bad_file(option, file, &pem_problem(&e, "certificate")))
}

fn bad_file(option: &str, file: &Path, problem: &str) -> Error {
    Error::new(
        Code::InvalidOptions,
        format!("{option} {} {problem}; a PEM file is expected", file.display()),
    )
}

/// What is wrong with a PEM file, without a word of its content.
fn pem_problem(error: &pem::Error, wanted: &str) -> String {
    match error {
        pem::Error::Io(e) => format!("cannot be read ({})", e.kind()),
        pem::Error::NoItemsFound => format!("holds no {wanted}"),
        _ => "is damaged".into(),
    }
}

/// The error of a connection that broke for a reason TLS knows; `None` for other reasons.
pub(super) fn explain(server: &str, error: &io::Error) -> Option<Error> {
    let inner = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    let (code, why) = match inner {
        rustls::Error::InvalidCertificate(problem) => (
            Code::InvalidServer,
            match problem {
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => {
                    "its certificate is for another host; use the name that the certificate bears"
                }
                // The latter: an authority of the same name with another key.
                CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                    "its certificate is of an authority not trusted here; name the right one in \
                     tls.ca_file"
                }
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    "its certificate has expired"
                }
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    "its certificate is not valid yet; look at this machine's clock"
                }
                _ => "its certificate is not acceptable",
            }
            .to_owned(),
        ),
        rustls::Error::AlertReceived(
            alert @ (AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::AccessDenied),
        ) => (
            Code::AuthFailed,
            format!(
                "it refuses our certificate or the lack of one ({alert:?}); look at tls.cert_file \
                 and tls.key_file"
            ),
        ),
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => (
            Code::InvalidServer,
            "it does not answer in TLS; is it a TLS port, and does tls.handshake_first fit it?"
                .to_owned(),
        ),
        other => (Code::InvalidServer, format!("TLS failed: {other}")),
    };
    Some(Error::new(code, format!("{server}: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_testkit::Certs;

    fn cache(options: TlsOptions) -> TlsConfigCache {
        TlsConfigCache::new(options).expect("options that fit together")
    }

    #[tokio::test]
    async fn files_are_read_again_only_when_they_change() {
        let certs = Certs::generate();
        let copy = certs.dir().path().join("copy.pem");
        std::fs::copy(&certs.ca, &copy).expect("copying");
        let tls = cache(TlsOptions { ca_file: Some(copy.clone()), ..TlsOptions::default() });
        let first = tls.config().await.expect("a configuration");
        assert!(Arc::ptr_eq(&first, &tls.config().await.expect("a configuration")));
        let both = [&certs.ca, &Certs::generate().ca]
            .map(|file| std::fs::read_to_string(file).expect("reading"))
            .concat();
        std::fs::write(&copy, both).expect("writing");
        assert!(!Arc::ptr_eq(&first, &tls.config().await.expect("a configuration")));
    }

    #[tokio::test]
    async fn bad_files_are_named_with_the_option() {
        let certs = Certs::generate();
        let empty = certs.dir().write("empty.pem", "");
        let damaged = certs.dir().write(
            "damaged.pem",
            "-----BEGIN CERTIFICATE-----\n!hunter2!\n-----END CERTIFICATE-----\n",
        );
        let key = Some(certs.client.key.clone());
        let cert = Some(certs.client.cert.clone());
        let wrong_key = Some(certs.server.key.clone());
        let gone = Some(PathBuf::from("/no/such.pem"));
        let default = TlsOptions::default;
        for (options, words) in [
            (TlsOptions { ca_file: gone.clone(), ..default() }, "tls.ca_file /no/such.pem cannot"),
            (TlsOptions { ca_file: Some(empty.clone()), ..default() }, "holds no certificate"),
            (TlsOptions { ca_file: Some(damaged), ..default() }, "is damaged"),
            (
                TlsOptions { cert_file: cert.clone(), key_file: gone, ..default() },
                "tls.key_file /no/such.pem cannot",
            ),
            (
                TlsOptions { cert_file: cert.clone(), key_file: Some(empty), ..default() },
                "holds no private key",
            ),
            (
                TlsOptions { cert_file: cert, key_file: wrong_key, ..default() },
                "does not hold the key of the certificate",
            ),
        ] {
            let options =
                TlsOptions { ca_file: options.ca_file.or(Some(certs.ca.clone())), ..options };
            let error = cache(options).config().await.expect_err("an error");
            assert_eq!(error.code(), Code::InvalidOptions);
            assert!(error.message().contains(words), "{error}");
            assert!(!error.message().contains("hunter2"), "{error}");
        }
        let half = TlsOptions { key_file: key, ..default() };
        assert_eq!(TlsConfigCache::new(half).expect_err("half").code(), Code::InvalidOptions);
    }
}
