//! Files as schemas: our own form, Terraform, templates.
//!
//! Each form becomes the members of the wire form of a container, each with its line; `gather` checks them.

mod arm;
mod found;
mod gather;
mod options;
mod terraform;
mod toml;

pub use found::Found;
pub use options::{ReadOptions, Reading};
