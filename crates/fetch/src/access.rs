//! What a client may reach: schemes, ports, hosts and addresses.

use std::net::IpAddr;

use url::{Host, Url};

use crate::address::{Reserved, reserved};
use crate::error::{FetchError, Site};

/// What a client may reach. By default: `https` and `http`, any port, public addresses only.
#[derive(Debug, Clone, Default)]
pub struct Access {
    schemes: Schemes,
    ports: Ports,
    /// Hosts that may have any address, as the `url` crate writes them.
    trusted: Vec<String>,
    /// Hosts that must not have a public address.
    private: Vec<String>,
}

/// Which schemes may be used. There are no others than these two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Schemes {
    /// `https` and `http`.
    #[default]
    HttpsAndHttp,
    /// `https`; `http` only to hosts that may have private addresses.
    Https,
}

/// Which ports may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ports {
    /// All of them.
    #[default]
    Any,
    /// 80 and 443; others only on hosts that may have private addresses.
    Web,
}

impl Access {
    /// Public addresses only.
    pub fn public() -> Access {
        Access::default()
    }

    /// Only these schemes.
    pub fn schemes(mut self, schemes: Schemes) -> Access {
        self.schemes = schemes;
        self
    }

    /// Only these ports.
    pub fn ports(mut self, ports: Ports) -> Access {
        self.ports = ports;
        self
    }

    /// This host, a name or an address, may be anywhere: on this machine, or in a private network.
    pub fn allow_private(mut self, host: &str) -> Access {
        self.trusted.push(written(host));
        self
    }

    /// This host, a name or an address, may be on this machine or in a private network, and nowhere else: for what is sent
    /// without encryption.
    pub fn only_private(mut self, host: &str) -> Access {
        self.private.push(written(host));
        self.allow_private(host)
    }

    /// Whether this host may have an address that is not public.
    pub(crate) fn trusts(&self, host: &str) -> bool {
        let host = name(host);
        self.trusted.iter().any(|trusted| trusted.eq_ignore_ascii_case(host))
    }

    /// Checks everything about a URL that can be known before its host is looked up.
    pub(crate) fn check(&self, url: &Url) -> Result<(), FetchError> {
        let site = Site::of(url);
        let Some(host) = url.host() else { return Err(FetchError::NoHost) };
        let trusted = self.trusts(&host.to_string());
        match url.scheme() {
            "https" => {}
            "http" if trusted || self.schemes == Schemes::HttpsAndHttp => {}
            "http" => return Err(FetchError::HttpsRequired { site }),
            _ => return Err(FetchError::Scheme { scheme: url.scheme().to_owned() }),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::UserInfo { site });
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if self.ports == Ports::Web && !trusted && ![80, 443].contains(&port) {
            return Err(FetchError::Port { site, port });
        }
        // An address needs no lookup, so the resolver never sees it.
        let literal = match host {
            Host::Ipv4(v4) => Some(IpAddr::V4(v4)),
            Host::Ipv6(v6) => Some(IpAddr::V6(v6)),
            Host::Domain(_) => None,
        };
        literal.map_or(Ok(()), |address| self.admit(&host.to_string(), address))
    }

    /// Whether this host may be at this address.
    pub(crate) fn admit(&self, host: &str, address: IpAddr) -> Result<(), FetchError> {
        if let Some(range) = self.refuse(host, address) {
            return Err(FetchError::Address { host: host.to_owned(), range });
        }
        let is_private = self.private.iter().any(|private| private.eq_ignore_ascii_case(name(host)));
        if is_private && reserved(address).is_none() {
            return Err(FetchError::Public { host: host.to_owned() });
        }
        Ok(())
    }

    /// Why this host may not be at this address, if it may not.
    pub(crate) fn refuse(&self, host: &str, address: IpAddr) -> Option<Reserved> {
        reserved(address).filter(|_| !self.trusts(host))
    }
}

/// A host as the `url` crate writes it.
fn written(host: &str) -> String {
    let literal = host.parse::<IpAddr>().map(|address| match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    });
    literal.unwrap_or_else(|_| name(host).to_ascii_lowercase())
}

/// A name with a dot at its end is the same name.
fn name(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{Access, Ports, Schemes};
    use crate::error::FetchError;

    fn check(access: &Access, url: &str) -> Result<(), FetchError> {
        access.check(&Url::parse(url).expect(url))
    }

    #[test]
    fn schemes_user_info_and_ports_are_checked() {
        let web = Access::public().ports(Ports::Web).schemes(Schemes::Https);
        assert!(check(&web, "https://example.com/a?b").is_ok());
        assert!(matches!(check(&web, "http://example.com/"), Err(FetchError::HttpsRequired { .. })));
        assert!(matches!(check(&web, "https://example.com:8443/"), Err(FetchError::Port { port: 8443, .. })));
        assert!(matches!(check(&web, "ftp://example.com/"), Err(FetchError::Scheme { .. })));
        assert!(matches!(check(&web, "file:///etc/passwd"), Err(FetchError::NoHost)));
        for url in ["https://ada@example.com/", "https://:secret@example.com/"] {
            let refused = check(&web, url).expect_err("user info");
            assert!(matches!(refused, FetchError::UserInfo { .. }), "{refused}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }

    #[test]
    fn an_address_is_checked_however_it_is_written() {
        let access = Access::public();
        let spellings = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "127.0.0.1."];
        for host in spellings.into_iter().chain(["[::ffff:7f00:1]", "169.254.169.254", "0"]) {
            let refused = check(&access, &format!("http://{host}/"));
            assert!(matches!(refused, Err(FetchError::Address { .. })), "{host}: {refused:?}");
        }
    }

    #[test]
    fn a_trusted_host_may_be_anywhere_and_no_other() {
        let access = Access::public()
            .schemes(Schemes::Https)
            .ports(Ports::Web)
            .allow_private("127.0.0.1")
            .allow_private("::1")
            .allow_private("NAS.home");
        for url in ["http://127.0.0.1:11434/", "http://[::1]:80/", "http://nas.home./"] {
            assert!(check(&access, url).is_ok(), "{url}");
        }
        assert!(check(&access, "https://127.0.0.2/").is_err());
        assert!(access.refuse("nas.home", [10, 0, 0, 1].into()).is_none());
        assert!(access.refuse("evil.nas.home", [10, 0, 0, 1].into()).is_some());
    }

    #[test]
    fn a_host_for_plain_http_is_not_public() {
        let access =
            Access::public().schemes(Schemes::Https).only_private("8.8.8.8").only_private("nas.home");
        assert!(matches!(check(&access, "http://8.8.8.8/"), Err(FetchError::Public { .. })));
        assert!(access.admit("nas.home", [192, 168, 1, 7].into()).is_ok());
        assert!(access.admit("nas.home.", [93, 184, 215, 14].into()).is_err());
    }
}
