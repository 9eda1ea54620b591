//! Benchmarks of the gateway: requests per second over HTTP, beside a bare server that answers the same bytes.
//!
//! Owns the third table, `benchmarks/GATEWAY.md`. Server, bare server, engine and load generator are processes of their
//! own on the same cores; sides take turns, so that a busy moment of the machine hits all of them.
//!
//! ```text
//! load ─► server with data ─► its answer recorded ─► bare server of that answer
//! rounds: load on server, load on bare server, load on bare server, load on server, ... ─► ratios ─► table
//! ```

mod bare;
mod compare;
mod engine_creates;
mod framing;
mod load;
mod measure;
mod part;
mod peer;
mod postgresql;
mod report;
mod run;
mod serving;
mod signature;
mod wire;
mod work;

pub use compare::LoadResult;
pub use part::{BenchProcess, run_part};
pub use report::{ComparedRow, FactRow, GatewayReport, PeerRow};
pub use run::{GatewayOptions, run_gateway};
pub(crate) use serving::BenchServer;
