//! Verification of bearer tokens (JWT) against the keys that an issuer publishes as a JWKS document.
//!
//! Owns fetching and caching the keys, and every check of a token that does not depend on the application: algorithm,
//! signature, issuer, audience and time. Does not own who the caller is or what it may do, and has no clock: callers
//! pass the time. Without the feature `verify` (on by default) tokens can be parsed but not verified.
//!
//! ```
//! # #[cfg(feature = "verify")] {
//! use planisphere_jwks::{KeyCache, KeySource, TokenRules, TokenVerifier, UnverifiedToken};
//!
//! # async fn example(text: &str, now_ms: u64) -> Result<(), Box<dyn std::error::Error>> {
//! let source = KeySource::parse("https://issuer.example/keys")?;
//! let rules = TokenRules::new("https://issuer.example", vec!["https://api.example".to_owned()]);
//! let verifier = TokenVerifier::published(KeyCache::new(source), rules);
//!
//! let token = UnverifiedToken::parse(text)?;
//! let claims = verifier.verify(&token, now_ms).await?;
//! println!("{:?}", claims.text("sub"));
//! # Ok(())
//! # }
//! # }
//! ```

#[cfg(feature = "verify")]
mod cache;
mod claims;
mod error;
#[cfg(feature = "verify")]
mod fetch;
#[cfg(feature = "verify")]
mod issuer;
#[cfg(feature = "verify")]
mod key;
#[cfg(feature = "verify")]
mod key_set;
#[cfg(feature = "verify")]
mod source;
mod token;
#[cfg(feature = "verify")]
mod verify;

#[cfg(feature = "verify")]
pub use cache::KeyCache;
pub use claims::TokenClaims;
pub use error::{KeySourceError, TokenError};
#[cfg(feature = "verify")]
pub use issuer::{IssuerMetadata, is_of_issuer};
#[cfg(feature = "verify")]
pub use jsonwebtoken::Algorithm;
#[cfg(feature = "verify")]
pub use source::KeySource;
pub use token::UnverifiedToken;
#[cfg(feature = "verify")]
pub use verify::{TokenRules, TokenVerifier};
