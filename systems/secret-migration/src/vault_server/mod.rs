//! A server with the protocol of the key-value engine of a Vault, version 2, on an account.
//!
//! It is the local target of a migration, and the double of a Vault in tests. Values are stored under envelope
//! encryption; access is by tokens, AppRoles and policies by path. Namespaces, other engines and audit devices are not
//! here: they are answered with an error of their own.

mod access;
mod containers;
mod kv;
mod reply;
mod request;
mod server;
mod system;

pub use server::{VaultServer, VaultServerSettings};
