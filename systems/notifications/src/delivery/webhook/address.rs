//! The addresses that a webhook may be sent to.
//!
//! Users choose the URL, so without this check they could reach services in the private network of the server. The
//! check is in the DNS resolver of the client: the connection is made to the address that was checked, so the name
//! cannot resolve to another one in between.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// A DNS resolver that returns only public addresses.
pub(super) struct PublicOnlyResolver;

/// The host has no public address.
#[derive(Debug)]
pub(super) struct PrivateAddressError;

impl fmt::Display for PrivateAddressError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the host has no public address")
    }
}

impl Error for PrivateAddressError {}

impl Resolve for PublicOnlyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            // A name with public and private addresses keeps the public ones.
            let public: Vec<SocketAddr> = found.filter(|found| is_public(found.ip())).collect();
            if public.is_empty() {
                return Err(PrivateAddressError.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Refuses a host that has no public address now. The reason does not say which addresses it has: a user could learn
/// the names of a private network from it.
pub(super) async fn check_host(host: &str, port: u16) -> Result<(), String> {
    let found = tokio::net::lookup_host((host, port)).await.into_iter().flatten();
    if found.into_iter().any(|address| is_public(address.ip())) {
        return Ok(());
    }
    Err("the host has no public address; Webhook:AllowPrivateAddresses would allow it".to_owned())
}

/// Whether the host of the URL is a literal private address. Literal addresses bypass the DNS resolver.
pub(super) fn is_private_literal(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    // An IPv6 address is in brackets in a URL.
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok_and(|address| !is_public(address))
}

/// Whether a request failed because its host has no public address.
pub(super) fn is_private_address_error(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if cause.is::<PrivateAddressError>() {
            return true;
        }
        source = cause.source();
    }
    false
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        // "This network", and the reserved addresses from 240 on, with the broadcast address.
        || first == 0
        || first >= 240
        // Carrier-grade NAT.
        || (first == 100 && (64..128).contains(&second))
        // Protocol assignments, 6to4 relays, and benchmarks.
        || (first == 192 && second == 0 && third == 0)
        || (first == 192 && second == 88 && third == 99)
        || (first == 198 && (18..20).contains(&second));
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, .., high, low] = address.segments();
    // An IPv6 address that embeds an IPv4 address leads to that one.
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let from_parts = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    if address.segments().starts_with(&[0x64, 0xff9b, 0, 0, 0, 0]) {
        return is_public_v4(from_parts(high, low));
    }
    // Only 2000::/3 is global unicast. Within it, 6to4, Teredo and documentation addresses are excluded.
    let is_global = (0x2000..0x4000).contains(&first);
    let is_special = first == 0x2002
        || (first == 0x2001 && second < 0x200)
        || (first == 0x2001 && second == 0xdb8)
        || first == 0x3fff;
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: bool) {
        assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for address in ["8.8.8.8", "1.1.1.1", "100.63.0.1", "172.32.0.1", "2606:4700::1111"] {
            check(address, true);
        }
        check("::ffff:8.8.8.8", true);
        check("64:ff9b::808:808", true);
    }

    #[test]
    fn addresses_of_a_network_of_ones_own_are_not() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fc00::1",
            "fe80::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001::1",
            "2001:db8::1",
            "fec0::1",
        ] {
            check(address, false);
        }
    }

    #[test]
    fn numbers_in_a_url_are_seen_in_every_spelling() {
        for url in ["http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://[::1]:80/"]
        {
            assert!(is_private_literal(&Url::parse(url).unwrap()), "{url}");
        }
        assert!(!is_private_literal(&Url::parse("http://8.8.8.8/").unwrap()));
        assert!(!is_private_literal(&Url::parse("http://example.org/").unwrap()));
    }
}
