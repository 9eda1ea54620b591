//! The addresses of a server: where it listens, and what clients get.
//!
//! Owns the lookup of the host, and what `--public-endpoint` and `planisphere emulator` make of it. Does not own the
//! account document.

use std::net::{IpAddr, SocketAddr};

use tokio::net::lookup_host;

use super::certificate::TlsFlags;
use crate::error::CommandError;

/// The region that Microsoft's emulators name.
pub(super) const EMULATOR_REGION: &str = "South Central US";

/// The addresses to listen at.
pub(super) async fn addresses_of(host: &str, port: u16) -> Result<Vec<SocketAddr>, CommandError> {
    let found = lookup_host((host, port)).await.map_err(|error| {
        CommandError::new(format!("looking up the host '{host}'"), error.to_string())
            .hint("Give an address of this machine, such as 127.0.0.1 or 0.0.0.0")
    })?;
    Ok(found.collect())
}

/// Whether a host means all addresses of this machine, and so names none.
pub(super) fn is_unspecified(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.is_ok_and(|address| address.is_unspecified())
}

/// A host name that clients on this machine can use.
pub(super) fn shown_host(host: &str) -> &str {
    match host {
        "127.0.0.1" | "0.0.0.0" | "::" | "[::]" => "localhost",
        "::1" => "[::1]",
        host => host,
    }
}

/// Whether clients may be given `127.0.0.1` for `localhost`. A certificate of the user may not cover it.
pub(super) fn is_reached_as_address(addresses: &[SocketAddr], tls: &TlsFlags) -> bool {
    let is_reached = |address: &SocketAddr| {
        address.is_ipv4() && (address.ip().is_loopback() || address.ip().is_unspecified())
    };
    !tls.has_own_certificate() && addresses.iter().any(is_reached)
}

/// The public endpoint as a URL. The emulators' variable may be a host name alone.
pub(super) fn endpoint_url(given: &str, port: u16, tls: &TlsFlags) -> String {
    match given.contains("://") {
        true => given.to_owned(),
        false if tls.is_enabled() => format!("https://{given}:{port}/"),
        false => format!("http://{given}:{port}/"),
    }
}
