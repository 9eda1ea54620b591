//! Where secrets go.

mod traits;

pub use traits::{ExpectedVersion, SecretTarget, TargetSecret};
