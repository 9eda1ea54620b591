//! The load benchmark of the secrets migration tracker (SM-A14), beside the same pipeline's storage work on PostgreSQL.
//!
//! Owns the tables of a run. Both sides wait as long for the source of secrets, write a claim, six steps, a switch and
//! an end for each workload, and must end with every workload migrated.

mod ours;
mod peer;
mod report;
mod rollbacks;
mod run;
mod side;
mod system;

pub use report::SecretsReport;
pub use rollbacks::Rollbacks;
pub use run::{SecretsOptions, SecretsSize, run_secrets};
pub use side::{PendingList, SecretsSide, SizeResult};
