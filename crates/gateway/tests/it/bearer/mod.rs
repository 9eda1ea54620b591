//! Bearer tokens: of the emulators, and of a real issuer with roles.

mod emulator;
mod issuer;
mod key_url;
mod roles;
pub(crate) mod signer;
