//! Fake push providers: local servers that speak the protocols of the real ones, for tests and for the demo.
//!
//! There are four: FCM with its token endpoint, APNs over HTTP/2, a webhook receiver, the mail relay of `service`. Each
//! validates requests like the real one, records them, and responds as its script says.
//!
//! ```text
//! request ─► server (connections, GOAWAY, drops) ─► fcm | apns | webhook: checks ─► script (faults, records) ─►
//! response
//! ```

mod apns;
mod fcm;
mod goaway;
mod http_message;
mod keys;
mod script;
mod server;
mod webhook;

pub use apns::{ApnsRefusal, FakeApns};
pub use fcm::{FakeFcm, FcmRefusal};
pub use http_message::{FakeResponse, ReceivedRequest};
pub use script::{AcceptedPush, Script, ScriptedFault};
pub use service::mail::{FakeSmtp, ReceivedMail, ResponseGate, SmtpStage};
pub use webhook::FakeWebhook;
