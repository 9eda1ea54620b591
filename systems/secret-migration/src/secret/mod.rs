//! Values of secrets, which never leave the memory, and the fingerprints that stand for them.

mod fingerprint;
mod value;

pub use fingerprint::FingerprintKey;
pub(crate) use value::wipe_json;
pub use value::{SecretData, SecretValue};
