//! Which addresses belong to the public internet, and what the others are.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not one of the public internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// `0.0.0.0/8`, `::`: this machine, or nothing.
    Unspecified,
    /// `127.0.0.0/8`, `::1`.
    Loopback,
    /// `10/8`, `172.16/12`, `192.168/16`, `fc00::/7`, `fec0::/10`.
    Private,
    /// `169.254/16`, `fe80::/10`: neighbours, and the metadata services of clouds.
    LinkLocal,
    /// `100.64/10`: behind a provider's address translation.
    SharedByProvider,
    /// `224/4`, `ff00::/8`, and the broadcast address.
    Multicast,
    /// Set aside for examples, measurements, protocols or later use.
    SetAside,
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reserved::Unspecified => "unspecified",
            Reserved::Loopback => "loopback",
            Reserved::Private => "private",
            Reserved::LinkLocal => "link-local",
            Reserved::SharedByProvider => "shared by a provider",
            Reserved::Multicast => "multicast",
            Reserved::SetAside => "set aside",
        })
    }
}

/// What an address is, if it is not public. An IPv6 address that carries an IPv4 address is as public as both are.
pub(crate) fn reserved(address: IpAddr) -> Option<Reserved> {
    match address {
        IpAddr::V4(v4) => reserved_v4(v4),
        IpAddr::V6(v6) => reserved_v6(v6),
    }
}

fn reserved_v4(address: Ipv4Addr) -> Option<Reserved> {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (0, ..) => Some(Reserved::Unspecified),
        (127, ..) => Some(Reserved::Loopback),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Some(Reserved::Private),
        (169, 254, _) => Some(Reserved::LinkLocal),
        (100, 64..=127, _) => Some(Reserved::SharedByProvider),
        (224..=239, ..) | (255, 255, 255) => Some(Reserved::Multicast),
        // Protocol assignments, examples, the old 6to4 relays, AS112, measurements, and what was never given out.
        (192, 0, 0 | 2)
        | (198, 51, 100)
        | (203, 0, 113)
        | (192, 88, 99)
        | (192, 31, 196)
        | (192, 52, 193)
        | (192, 175, 48)
        | (198, 18..=19, _)
        | (240..=255, ..) => Some(Reserved::SetAside),
        _ => None,
    }
}

fn reserved_v6(address: Ipv6Addr) -> Option<Reserved> {
    if address.is_unspecified() {
        return Some(Reserved::Unspecified);
    }
    if address.is_loopback() {
        return Some(Reserved::Loopback);
    }
    let segments = address.segments();
    let [first, second, third, fourth, fifth, sixth, ..] = segments;
    let low = || v4(segments[6], segments[7]);
    match (first, second) {
        // `::ffff:a.b.c.d`, `::ffff:0:a.b.c.d`, and NAT64 by its common prefix: the IPv4 address decides.
        (0, 0) if matches!([third, fourth, fifth, sixth], [0, 0, 0, 0xffff] | [0, 0, 0xffff, 0]) => {
            reserved_v4(low())
        }
        (0x64, 0xff9b) if [third, fourth, fifth, sixth] == [0; 4] => reserved_v4(low()),
        // `::a.b.c.d` was given up long ago.
        (0, 0) if [third, fourth, fifth, sixth] == [0; 4] => reserved_v4(low()).or(Some(Reserved::SetAside)),
        // The local prefix of NAT64, `64:ff9b:1::/48`, is somebody's own network.
        (0x64, 0xff9b) | (0xfec0..=0xfeff | 0xfc00..=0xfdff, _) => Some(Reserved::Private),
        // 6to4 has the IPv4 address behind its prefix.
        (0x2002, _) => reserved_v4(v4(second, third)),
        // Teredo: the server in clear, the client inverted.
        (0x2001, 0) => reserved_v4(v4(third, fourth)).or_else(|| reserved_v4(v4(!segments[6], !segments[7]))),
        (0xfe80..=0xfebf, _) => Some(Reserved::LinkLocal),
        (0xff00..=0xffff, _) => Some(Reserved::Multicast),
        // Benchmarks, ORCHID, examples, and the rest of what protocols took for themselves.
        (0x2001, 0x0001..=0x01ff | 0x0db8) | (0x3fff, 0..=0x0fff) => Some(Reserved::SetAside),
        // An identifier made from an IPv4 address (ISATAP) tunnels to it.
        _ if fifth & 0xfdff == 0 && sixth == 0x5efe => reserved_v4(low()),
        // Only `2000::/3` is given out at all.
        (0x2000..=0x3fff, _) => None,
        _ => Some(Reserved::SetAside),
    }
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::{Reserved, reserved};

    #[track_caller]
    fn check(addresses: &[&str], expected: Option<Reserved>) {
        for address in addresses {
            assert_eq!(reserved(address.parse().expect(address)), expected, "{address}");
        }
    }

    #[test]
    fn public_addresses_are_public() {
        check(&["1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1"], None);
        check(&["100.128.0.1", "169.253.0.1", "192.0.1.1", "223.255.255.255", "126.255.255.255"], None);
        check(&["2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"], None);
    }

    #[test]
    fn ranges_that_are_not_public_are_told_apart() {
        check(&["0.0.0.0", "0.1.2.3", "::"], Some(Reserved::Unspecified));
        check(&["127.0.0.1", "127.255.255.254", "::1"], Some(Reserved::Loopback));
        check(&["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"], Some(Reserved::Private));
        check(&["fc00::1", "fd12:3456::1", "fec0::1"], Some(Reserved::Private));
        check(&["169.254.169.254", "fe80::1", "febf::1"], Some(Reserved::LinkLocal));
        check(&["100.64.0.1", "100.127.255.255"], Some(Reserved::SharedByProvider));
        check(&["224.0.0.1", "239.1.1.1", "255.255.255.255", "ff02::1"], Some(Reserved::Multicast));
        check(&["192.0.2.1", "198.51.100.7", "203.0.113.9", "2001:db8::1"], Some(Reserved::SetAside));
        check(&["192.0.0.8", "198.18.0.1", "240.0.0.1", "100::1", "4000::1"], Some(Reserved::SetAside));
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_address_counts() {
        let loopback = Some(Reserved::Loopback);
        check(&["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1"], loopback);
        check(&["::ffff:0:127.0.0.1", "2001:0:7f00:1::1", "2001:0:808:808::80ff:fffe"], loopback);
        check(&["2606::5efe:7f00:1", "2606::200:5efe:7f00:1"], loopback);
        check(&["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"], Some(Reserved::LinkLocal));
        check(&["::ffff:10.0.0.1", "2002:a00:1::", "64:ff9b:1::808:808"], Some(Reserved::Private));
        check(&["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"], None);
    }
}
