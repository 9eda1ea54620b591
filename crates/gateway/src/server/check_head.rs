//! The checks of a request's head that come before its authorization.
//!
//! Owns the size of the headers of HTTP/2 requests, the presence of `host`, and which hosts may be named with the
//! public key of the emulators. Does not own the syntax of heads: the HTTP library and `head_scanner` do.

use hyper::header::HOST;
use hyper::http::request::Parts;
use hyper::{StatusCode, Version};

use super::transport::Transport;
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiResult, has_local_host, host_header, host_name};

/// Refuses headers that are too large, and a request of HTTP/1.1 that does not name exactly one host.
pub(super) fn check_head(gateway: &Gateway, parts: &Parts, transport: Transport) -> ApiResult<()> {
    match parts.version {
        Version::HTTP_2 => check_size(gateway, parts),
        Version::HTTP_11 if transport.is_socket() => check_host_count(parts),
        _ => Ok(()),
    }
}

/// Only for HTTP/2: for HTTP/1 the library has refused large headers, and `ErrorBodyRewriter` has added the body.
fn check_size(gateway: &Gateway, parts: &Parts) -> ApiResult<()> {
    let bytes: usize =
        parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let bytes = bytes + parts.uri.path().len();
    let bytes_max = gateway.settings().limits.header_bytes_max;
    if bytes <= bytes_max {
        return Ok(());
    }
    let message =
        format!("The headers of the request are too large: {bytes} bytes of {bytes_max} at most.");
    Err(ApiError::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message))
}

/// A proxy in front may choose another one of two hosts than we do, and then check the wrong one.
fn check_host_count(parts: &Parts) -> ApiResult<()> {
    // No name is repeated, so that one host is the only one.
    let is_unique = parts.headers.len() == parts.headers.keys_len();
    if is_unique && host_header(&parts.headers).is_some() {
        return Ok(());
    }
    let count = parts.headers.get_all(HOST).iter().count();
    if count == 1 {
        return Ok(());
    }
    Err(ApiError::bad_request(format!(
        "The request has {count} headers 'host'. A request of HTTP/1.1 needs exactly one."
    )))
}

/// With the public key of the emulators, refuses a host that is not a name of this machine.
///
/// Everybody can sign with that key, also a page that a browser on this machine shows. Such a page reaches us under a
/// name of its own that it points to this machine (DNS rebinding), and that name is in `host`.
pub(super) fn check_local_host(
    gateway: &Gateway,
    parts: &Parts,
    transport: Transport,
) -> ApiResult<()> {
    if !transport.is_socket() || !gateway.settings().key.is_well_known() {
        return Ok(());
    }
    let sent = host_header(&parts.headers).map(|value| value.to_str().unwrap_or_default());
    // HTTP/2 has no header; HTTP/1 may have both. Each of them must be allowed.
    let authority = parts.uri.authority().map(|authority| authority.as_str());
    for host in [sent, authority].into_iter().flatten() {
        if !has_local_host(host) && !is_allowed(gateway, host_name(host)) {
            let name = host_name(host);
            return Err(ApiError::forbidden(format!(
                "The request names the host '{name}'. With the public key of the emulators only the names of this \
                 machine are accepted, because a web page could otherwise use this server under a name of its own. \
                 Use localhost, or start the server with --allowed-host {name}, or with a key of your own \
                 (--key-file)."
            )));
        }
    }
    Ok(())
}

fn is_allowed(gateway: &Gateway, name: &str) -> bool {
    let settings = gateway.settings();
    let endpoint = settings.public_endpoint.as_deref().map(|url| {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        host_name(rest.split('/').next().unwrap_or_default())
    });
    let allowed = settings.allowed_hosts.iter().map(|host| host_name(host));
    allowed.chain(endpoint).any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(name))
}
