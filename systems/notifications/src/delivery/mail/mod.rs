//! Push by mail to an address, which is the device's push token.
//!
//! Owns the text of the mails. Does not own the relay nor the meaning of its replies (`service`).

mod send;

pub(super) use send::MailProvider;
