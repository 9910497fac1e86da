//! The one TLS configuration: rustls with ring.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use crate::error::FetchError;

/// Mozilla's roots, and those the caller trusts besides.
pub(crate) fn config(extra: &[Vec<u8>]) -> Result<ClientConfig, FetchError> {
    let failed = |error: rustls::Error| FetchError::Setup(error.to_string());
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for certificate in extra {
        roots.add(CertificateDer::from(certificate.as_slice())).map_err(failed)?;
    }
    // Named here, so that nothing depends on which provider the process has made its default.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
