//! Push by mail.
//!
//! Owns the mail, the way to the relay and the meaning of each reply. Does not own the address; it is the device's push
//! token.

mod message;
mod reply;
mod send;

pub(super) use send::MailProvider;
