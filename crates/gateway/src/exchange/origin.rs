//! The origin of a request: scheme and host as the client wrote them.
//!
//! Owns where both are told. The text is made only for those who need it.

use hyper::header::HOST;
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Uri};

use super::header;

/// What is known of the origin besides the headers.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    scheme: &'static str,
    /// The host of requests that have no header for it.
    authority: Option<Authority>,
}

impl Origin {
    /// The origin of an address that came over a connection of this scheme.
    pub(crate) fn of(uri: &Uri, scheme: &'static str) -> Self {
        Self { scheme, authority: uri.authority().cloned() }
    }

    /// The whole address of a path; of the origin itself when the path is empty.
    pub(crate) fn address(&self, headers: &HeaderMap, path: &str) -> String {
        let host = headers.get(HOST).and_then(|value| value.to_str().ok());
        let host = host.or_else(|| self.authority.as_ref().map(Authority::as_str));
        let forwarded = headers.get(header::FORWARDED_PROTO).and_then(|value| value.to_str().ok());
        let forwarded = forwarded.filter(|text| matches!(*text, "http" | "https"));
        [forwarded.unwrap_or(self.scheme), "://", host.unwrap_or("localhost"), path].concat()
    }
}
