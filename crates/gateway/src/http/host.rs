//! Host names as requests name them: `name`, `name:port`, `[address]:port`.
//!
//! Owns taking the name out of such a text and which names are those of this machine. Does not own which further names
//! a gateway accepts.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderValue};

/// The first header `host`.
pub(crate) fn host_header(headers: &HeaderMap) -> Option<&HeaderValue> {
    match headers.iter().next() {
        // Nearly all clients send it before all others, where it is found without hashing.
        Some((name, value)) if *name == HOST => Some(value),
        _ => headers.get(HOST),
    }
}

/// The name or address in a text of a host with an optional port, without the brackets of an IPv6 address and without
/// the final dot of a full name.
pub(crate) fn host_name(authority: &str) -> &str {
    let name = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    name.strip_suffix('.').unwrap_or(name)
}

/// Whether a host is this machine: `localhost`, a name below it, or a loopback address.
///
/// Nobody can register a name below `localhost` and let it point to an address of their choice.
pub(crate) fn has_local_host(authority: &str) -> bool {
    let name = host_name(authority);
    // Nearly all requests name one of these two; the second need not be parsed then.
    let is_usual = name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1";
    is_usual
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
        || name.to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine_are_recognized() {
        for host in [
            "localhost",
            "localhost:8081",
            "LOCALHOST:1",
            "localhost.",
            "db.localhost",
            "127.0.0.1",
            "127.1.2.3:8081",
            "[::1]:8081",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(has_local_host(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "xlocalhost",
            "10.0.0.1:8081",
            "0.0.0.0",
            "[::2]",
            "[::1",
            "evil.example:127.0.0.1",
        ] {
            assert_eq!(has_local_host(host), host == "[::1", "{host}");
        }
        assert_eq!(host_name("[fe80::1]:80"), "fe80::1");
    }
}
