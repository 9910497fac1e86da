//! The address of a server: what tokio-postgres understands of it, and what is ours.

use std::fmt;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::Error;

use super::tls::tls;

/// Where a server is, and whether the way there is secure.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: Option<MakeRustlsConnect>,
}

/// Without the address itself, which may hold a password.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("hosts", &self.config.get_hosts()).finish_non_exhaustive()
    }
}

impl Address {
    /// `variable` is where the address was set, for messages; the address itself may hold a password.
    pub(super) fn new(variable: &'static str, url: &str) -> Result<Address, Error> {
        let (url, authorities) = without_authorities(url);
        let mut config: Config = url.parse().map_err(|_| {
            Error::invalid(variable, "is not an address such as `postgres://user:password@host/database`")
        })?;
        config.application_name("recipe-vault");
        if config.get_ssl_mode() == SslMode::Require {
            let tls = tls(authorities.as_deref()).map_err(|reason| Error::invalid(variable, reason))?;
            return Ok(Address { config, tls: Some(tls) });
        }
        // A connection that is secure only if the other side likes it is not.
        config.ssl_mode(SslMode::Disable);
        Ok(Address { config, tls: None })
    }
}

/// The address without `sslrootcert`, which tokio-postgres does not know, and that. Certificates are always checked, so the
/// modes that ask for it are `require`.
fn without_authorities(url: &str) -> (String, Option<String>) {
    let Some((place, query)) = url.split_once('?') else { return (url.to_owned(), None) };
    let mut authorities = None;
    let mut kept = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslrootcert", file)) => authorities = Some(decoded(file)),
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(pair),
        }
    }
    (format!("{place}?{}", kept.join("&")), authorities)
}

/// Text with its percent signs read.
fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Address, decoded, without_authorities};

    #[test]
    fn what_is_ours_is_taken_out_of_the_address() {
        let (url, file) = without_authorities(
            "postgres://db/x?sslmode=verify-full&sslrootcert=/etc/my%20ca.pem&connect_timeout=3",
        );
        assert_eq!(url, "postgres://db/x?sslmode=require&connect_timeout=3");
        assert_eq!(file.as_deref(), Some("/etc/my ca.pem"));
        assert_eq!(decoded("100%"), "100%");
    }

    #[test]
    fn only_require_is_secure_and_a_missing_file_is_told() {
        let secure = |url: &str| Address::new("DATABASE_URL", url).map(|address| address.tls.is_some());
        assert!(matches!(secure("postgres://db/x"), Ok(false)));
        assert!(matches!(secure("postgres://db/x?sslmode=prefer"), Ok(false)));
        assert!(matches!(secure("postgres://db/x?sslmode=require"), Ok(true)));
        let refused = secure("postgres://a:secret@db/x?sslmode=require&sslrootcert=/no/such.pem");
        let refused = refused.expect_err("no file").to_string();
        assert!(refused.contains("/no/such.pem") && !refused.contains("secret"), "{refused}");
    }
}
