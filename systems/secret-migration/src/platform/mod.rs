//! What all sources and targets share: failures, answers over HTTP, access tokens.

mod access_token;
mod answer;
mod error;
mod request;

pub(crate) use access_token::PlatformTokens;
pub(crate) use answer::PlatformAnswer;
pub use error::{PlatformError, PlatformFailure};
pub(crate) use request::{PlatformHttp, encode_path};
