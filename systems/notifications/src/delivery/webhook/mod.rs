//! Push by a signed request to a URL.
//!
//! Owns the request, its signature, the addresses it may go to and the meaning of each status. Does not own the URL; it
//! is the device's push token.

mod address;
mod send;
mod signature;

pub(super) use send::WebhookProvider;
pub use signature::WebhookSigner;
