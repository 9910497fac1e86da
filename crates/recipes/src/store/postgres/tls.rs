//! TLS to a PostgreSQL server: rustls, and always with a look at the certificate. The address says whether, and with
//! `sslrootcert` whose signature is trusted, as for PostgreSQL's own programs.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What a connection is made secure with: it trusts the certificates of this PEM file, or else Mozilla's roots. Fails with
/// words for people.
pub(super) fn tls(authorities: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            let wrong = |reason: &dyn std::fmt::Display| {
                format!("cannot use `{file}` of `sslrootcert`: {reason}; name a PEM file with certificates")
            };
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
                let certificate = certificate.map_err(|error| wrong(&error))?;
                roots.add(certificate).map_err(|error| wrong(&error))?;
            }
            if roots.is_empty() {
                return Err(wrong(&"there is none in it"));
            }
        }
    }
    // Named here, so that nothing depends on which provider the process has made its default.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}
