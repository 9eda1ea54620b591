//! Mails and text messages to users: one-time codes and reminders.
//!
//! Owns the trait and the ways: a mail relay, a signed call of an operator's address, the log of a developer. Does not
//! own what is sent.

mod by_address;
mod log;
mod outgoing;
mod webhook;

pub use by_address::AddressSender;
pub use log::LogSender;
pub use outgoing::{DeliveryAddress, OutgoingText, TextSender};
pub use webhook::WebhookSender;
