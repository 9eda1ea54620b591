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
mod fcm;
mod goaway;
mod http_message;
mod keys;
mod script;
mod server;
mod smtp;
mod webhook;

pub use apns::{ApnsRefusal, FakeApns};
pub use fcm::{FakeFcm, FcmRefusal};
pub use http_message::{FakeResponse, ReceivedRequest};
pub use script::{AcceptedPush, ResponseGate, Script, ScriptedFault};
pub use smtp::{FakeSmtp, ReceivedMail, SmtpStage};
pub use webhook::FakeWebhook;
