//! The caller of a connection whose client certificate a listener has verified.
//!
//! The listener puts it into the extensions of each request; a bearer token or session of the request comes first. Does
//! not own TLS, nor which certificate has which roles: the listener does.

use serde_json::Map;

use super::authenticate::Authentication;
use super::caller::Caller;

/// The caller that a verified client certificate names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifiedPeer {
    /// The name in the certificate.
    pub subject: String,
    /// Its roles.
    pub roles: Vec<String>,
}

impl CertifiedPeer {
    /// The authentication of a request: by its own credentials if it has some, otherwise by the certificate.
    pub(crate) fn or_else(peer: Option<&Self>, given: Authentication) -> Authentication {
        match (given, peer) {
            (Authentication::Anonymous, Some(peer)) => Authentication::Authenticated(Caller::new(
                peer.subject.clone(),
                peer.roles.clone(),
                Map::new(),
            )),
            (given, _) => given,
        }
    }
}
