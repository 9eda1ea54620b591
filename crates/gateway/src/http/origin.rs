//! The origin of a request: scheme and host as the client wrote them.
//!
//! Owns where both are found. The text is built only on demand, because most responses do not need it.

use hyper::header::HOST;
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Uri};

use super::header;

/// The part of the origin that is not in the headers.
#[derive(Clone, Debug)]
pub(crate) struct RequestOrigin {
    scheme: &'static str,
    /// The host of requests without a `host` header, as in HTTP/2.
    authority: Option<Authority>,
}

impl RequestOrigin {
    /// Takes the origin from the URI of a request that came over a connection with this scheme.
    pub(crate) fn from_uri(uri: &Uri, scheme: &'static str) -> Self {
        Self { scheme, authority: uri.authority().cloned() }
    }

    /// The absolute URL of a path, or of the origin itself when the path is empty.
    pub(crate) fn url(&self, headers: &HeaderMap, path: &str) -> String {
        let host = headers.get(HOST).and_then(|value| value.to_str().ok());
        let host = host.or_else(|| self.authority.as_ref().map(Authority::as_str));
        let forwarded = headers.get(header::FORWARDED_PROTO).and_then(|value| value.to_str().ok());
        // The header comes from the client if there is no proxy, so nothing else may enter a URL.
        let forwarded = forwarded.filter(|text| matches!(*text, "http" | "https"));
        [forwarded.unwrap_or(self.scheme), "://", host.unwrap_or("localhost"), path].concat()
    }
}
