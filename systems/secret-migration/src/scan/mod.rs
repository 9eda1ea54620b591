//! The scanner: which workloads use Vault, and where.

mod apply;
mod folder;
mod manifest;
mod workload;

pub use apply::ScanReport;
pub use folder::{clusters_in, read_folder};
pub use manifest::{ManifestError, parse_manifests};
pub use workload::{FoundWorkload, ScanResult, find_workloads};
