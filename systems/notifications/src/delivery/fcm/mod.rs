//! Push by FCM, HTTP v1.
//!
//! Owns the access token, the message, the request and the meaning of each response.

mod access_token;
mod message;
mod response;
mod send;

pub(super) use send::FcmProvider;
