//! Where secrets come from.

mod traits;

pub use traits::{PlatformError, PlatformFailure, SecretLocation, SecretSource, SourceSecret};
