//! Scriptable local servers that speak the providers' protocols: for tests, and for the demo.
//!
//! Owns four servers (push by FCM with its token endpoint, push by APNs over HTTP/2, a webhook receiver, a mail server)
//! that check what they are sent as the real ones do, keep it, and answer what their script says. Does not own delivery
//! itself, and never reaches beyond this machine.
//!
//! ```text
//! request ─► server (connections, GOAWAY, drops) ─► fcm | apns | webhook: checks ─► script (faults, records) ─► answer
//! ```

mod apns;
mod exchange;
mod fcm;
mod keys;
mod script;
mod server;
mod smtp;
mod turn_away;
mod webhook;

pub use apns::{ApnsRefusal, FakeApns};
pub use exchange::{Received, Reply};
pub use fcm::{FakeFcm, FcmRefusal};
pub use script::{Accepted, Fault, Gate, Script};
pub use smtp::{FakeSmtp, Mail, SmtpStage};
pub use webhook::FakeWebhook;
