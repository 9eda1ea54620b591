//! Where secrets come from.

mod traits;

pub use traits::{SecretLocation, SecretSource, SourceSecret};
