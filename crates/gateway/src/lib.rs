//! The REST API of the service: HTTP in, operations out; outcomes in, HTTP out.
//!
//! Owns every header, status code, wire path and signature. Does not own any rule about items: a request is decoded
//! into an operation of the engine, and its outcome is encoded.
//!
//! ```text
//! socket ─► server (one connection) ─► route ─► authorization ─► resource | item | query ─► Operation
//!        ◄─ exchange/reply, exchange/failure                                             ◄─ Outcome
//! ```

mod authorization;
mod binary_json;
mod exchange;
mod gateway;
mod item;
mod observe;
mod query;
mod resource;
mod route;
mod server;
mod settings;

pub use authorization::{AccountKey, EMULATOR_KEY, Issuer, KeySource, RoleAssignments, signed_get};
pub use gateway::Gateway;
pub use observe::TestControl;
pub use server::Certificate;
pub use settings::{CrossPartition, Limits, Log, Settings};
