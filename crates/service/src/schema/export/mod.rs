//! Export of schemas to files: our own format, Terraform, templates.
//!
//! An exported file is read back to the same schema. What a format cannot express is omitted and reported.

mod arm;
mod format;
mod members;
mod terraform;
mod toml;

pub use format::{SchemaExport, SchemaFormat};
