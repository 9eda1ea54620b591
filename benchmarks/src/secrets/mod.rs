//! The load benchmark of the secrets migration tracker (SM-A14), beside the same pipeline's storage work on PostgreSQL.
//!
//! Owns the table of a run. Both sides wait as long for the source of secrets, write a claim, six steps, a switch and
//! an end for each workload, and must end with every workload migrated.

mod ours;
mod peer;
mod platforms;
mod report;
mod run;
mod system;

pub use report::{PendingList, SecretsReport, SecretsSide};
pub use run::{SecretsOptions, run_secrets};
