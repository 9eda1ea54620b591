//! Schemas as files: our own form, Terraform, templates.
//!
//! What is written is read back to the same schema; what a form has no words for is left out and said.

mod arm;
mod form;
mod terraform;
mod toml;

pub use form::{Exported, Form};
