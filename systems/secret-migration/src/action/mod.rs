//! One file for each kind of write a caller can ask for.

mod bulk;
mod namespaces;
mod wave;
mod workload;

pub use bulk::{RollbackReport, RollbackScope};
pub use wave::{NewWave, WaveReport};
pub use workload::{RollbackOptions, RolledBackWorkload, WorkloadChange};
