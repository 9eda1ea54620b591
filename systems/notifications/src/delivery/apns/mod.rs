//! Push by APNs, over HTTP/2.
//!
//! Owns the provider token, the payload, the request with its headers and the meaning of each answer. Does not own
//! which devices are pushed to, nor what follows from a result.

mod payload;
mod provider_token;
mod response;
mod send;

pub(super) use send::ApnsProvider;
