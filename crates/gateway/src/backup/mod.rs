//! Backups over the API: the account as lines of JSON, from one moment, and back.
//!
//! Owns the lines and the routes `/_planisphere/backups`, `/_planisphere/restore` and `/_planisphere/restore-point`,
//! which need a signature. Does not own what a snapshot or a restore is: the engine does.
//!
//! ```text
//! {"planisphereBackup":1,"account":"planisphere","at":1791622915}
//! {"database":{"id":"shop","throughput":{"offerThroughput":400}}}
//! {"container":{"database":"shop","properties":{...},"throughput":null}}
//! {"attached":{"kind":"trigger","database":"shop","owner":"orders","content":{...}}}
//! {"items":{"database":"shop","container":"orders"}}
//! {"item":{...}}
//! ```

mod apply;
mod attached;
mod begin;
mod open_backups;
mod restore_point;

pub(crate) use apply::apply;
pub(crate) use begin::{begin, end, read_next};
pub(crate) use open_backups::OpenBackups;
pub(crate) use restore_point::restore_point;
