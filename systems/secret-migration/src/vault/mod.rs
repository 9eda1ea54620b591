//! HashiCorp Vault over its own protocol.

mod client;
mod kv;
mod settings;

pub use client::VaultClient;
pub use settings::{VaultAuth, VaultSettings};
