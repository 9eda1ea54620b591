//! Push by APNs, over HTTP/2.
//!
//! Owns the provider token, the payload, the request with its headers and the meaning of each response.

mod payload;
mod provider_token;
mod response;
mod send;

pub(super) use send::ApnsProvider;
