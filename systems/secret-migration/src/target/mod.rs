//! Where secrets go: one trait, and the platforms behind it. The key-value engine of a Vault is in `vault`.

mod directory;
mod key_vault;
mod open;
mod rest;
mod settings;
mod traits;

pub use directory::DirectoryTarget;
pub use key_vault::KeyVaultTarget;
pub use open::open_target;
pub use rest::RestTarget;
pub use settings::{SmpAuth, SmpKind, SmpSettings};
pub use traits::{ExpectedVersion, SecretTarget, TargetSecret};
