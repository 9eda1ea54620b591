//! Push by a signed HTTP request to a URL, which is the device's push token.
//!
//! Owns the request, its signature, the allowed addresses and the meaning of each status.

mod address;
mod send;
mod signature;

pub(super) use send::WebhookProvider;
pub use signature::WebhookSigner;
