//! The origin of a request: scheme and host as the client wrote them.
//!
//! Owns where both are found. The text is built only on demand, because most responses do not need it.

use hyper::http::uri::Authority;
use hyper::{HeaderMap, Uri};

use super::header::{self, NameFilter};
use super::host::host_header;

/// The part of the origin that is not in the headers.
#[derive(Clone, Debug)]
pub(crate) struct RequestOrigin {
    scheme: &'static str,
    /// The host of requests without a `host` header, as in HTTP/2.
    authority: Option<Authority>,
    /// Whether a proxy may have set the scheme in a header.
    may_be_forwarded: bool,
}

impl RequestOrigin {
    /// Takes the origin from the URI of a request that came over a connection with this scheme. `names` are those of
    /// its headers.
    pub(crate) fn from_uri(uri: &Uri, scheme: &'static str, names: NameFilter) -> Self {
        let may_be_forwarded = names.may_contain(&header::FORWARDED_PROTO);
        Self { scheme, authority: uri.authority().cloned(), may_be_forwarded }
    }

    /// The absolute URL of a path, or of the origin itself when the path is empty.
    pub(crate) fn url(&self, headers: &HeaderMap, path: &str) -> String {
        let host = host_header(headers).and_then(|value| value.to_str().ok());
        let host = host.or_else(|| self.authority.as_ref().map(Authority::as_str));
        let forwarded =
            self.may_be_forwarded.then(|| headers.get(header::FORWARDED_PROTO)).flatten();
        let forwarded = forwarded.and_then(|value| value.to_str().ok());
        // The header comes from the client if there is no proxy, so nothing else may enter a URL.
        let forwarded = forwarded.filter(|text| matches!(*text, "http" | "https"));
        [forwarded.unwrap_or(self.scheme), "://", host.unwrap_or("localhost"), path].concat()
    }
}
