//! The key under which limits count a caller.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use axum::http::Extensions;

use crate::identity::Authentication;

/// The key of a caller for rate and stream limits: its subject if it is authenticated, otherwise its address.
pub(super) fn caller_key(extensions: &Extensions) -> String {
    if let Some(Authentication::Authenticated(caller)) = extensions.get::<Authentication>() {
        // The prefix keeps a subject that looks like an address apart from that address.
        return format!("principal {}", caller.subject());
    }
    match extensions.get::<ConnectInfo<SocketAddr>>() {
        Some(ConnectInfo(address)) => format!("address {}", address.ip()),
        None => "nobody".to_owned(),
    }
}
