//! The REST API of the service: decodes HTTP requests into operations of the engine and encodes their results.
//!
//! Owns every header, status code, wire path and signature. Does not own any rule about items.
//!
//! ```text
//! socket ─► server (one connection) ─► dispatch ─► authorization ─► resource | item | query ─► engine
//!        ◄─ http: ApiResponse, ApiError                                                     ◄─
//! ```

mod authorization;
mod backup;
mod binary_json;
mod dispatch;
mod fault;
mod feed_range;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod gateway;
mod http;
mod item;
mod metrics;
mod observe;
mod query;
mod request_log;
mod resource;
mod route;
mod server;
mod session;
mod settings;
mod test_control;

#[cfg(feature = "issuer")]
pub use authorization::KeySource;
pub use authorization::{AccountKey, EMULATOR_KEY, Issuer, RoleAssignments, sign_request};
pub use fault::FaultRules;
pub use gateway::Gateway;
pub use http::{format_rfc3339, parse_rfc3339};
pub use observe::partitions_document;
pub use server::Certificate;
pub use settings::{
    ChangePlan, ChangePlanner, ContainerChange, CrossPartition, ExplorerSettings, GatewaySettings,
    Limits, Log,
};
pub use test_control::TestControl;
