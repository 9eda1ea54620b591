//! Mail by a relay: the settings, the connection, the meaning of its replies, and a fake relay for tests.
//!
//! Does not own what a mail says, nor when it is sent again.

mod certificate;
mod failure;
mod fake;
mod relay;
mod settings;

pub use certificate::{certificate_failure, read_ca_file};
pub use failure::MailFailure;
pub use fake::{FakeSmtp, ReceivedMail, ResponseGate, SmtpStage};
pub use relay::{MailRelay, OutgoingMail};
pub use settings::{SmtpSecurity, SmtpSettings};
