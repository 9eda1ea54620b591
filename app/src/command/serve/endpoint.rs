//! The address of a server as clients get it.
//!
//! Owns what `--public-endpoint` and `planisphere emulator` make of it. Does not own the account document.

use std::net::SocketAddr;

use super::certificate::TlsFlags;

/// The region that Microsoft's emulators name.
pub(super) const EMULATOR_REGION: &str = "South Central US";

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
