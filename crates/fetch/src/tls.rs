//! The one TLS configuration: rustls with ring.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use crate::error::FetchError;

/// Whose roots are trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Mozilla's.
    #[default]
    Mozilla,
    /// Those, and what this machine trusts: a company adds the root of its own proxy there.
    AndSystem,
}

/// The roots, and those the caller trusts besides.
pub(crate) fn config(trusted: Roots, extra: &[Vec<u8>]) -> Result<ClientConfig, FetchError> {
    let failed = |error: rustls::Error| FetchError::Setup(error.to_string());
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if trusted == Roots::AndSystem {
        // A certificate that cannot be read is one that nobody is trusted by.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
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
