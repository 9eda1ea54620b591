//! Push by mail to an address, which is the device's push token.
//!
//! Owns the message, the connection to the relay and the meaning of each reply.

mod message;
mod reply;
mod send;

pub(super) use send::MailProvider;
