//! Reading schemas from files: our own format, Terraform, templates.
//!
//! Each format is translated into the members of the wire format of a container, each with its line; `builder`
//! validates them.

mod arm;
mod builder;
mod load;
#[cfg(not(feature = "terraform"))]
mod no_terraform;
mod parsed;
#[cfg(feature = "terraform")]
mod terraform;
mod toml;

pub use parsed::{ParsedSchema, SchemaNote, SchemaReadOptions};
