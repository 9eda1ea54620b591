//! Push by FCM, HTTP v1.
//!
//! Owns the access token, the message, the request and the meaning of each answer. Does not own which devices are
//! pushed to, nor what follows from a result.

mod access_token;
mod message;
mod response;
mod send;

pub(super) use send::FcmProvider;
