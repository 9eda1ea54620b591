//! Lsns, timestamps, etags, session tokens and continuation tokens.
//!
//! Owns their text and binary forms. Does not own a clock or a counter: callers supply both.

mod continuation_token;
mod etag;
mod lsn;
mod session_token;
mod timestamp;

pub use continuation_token::ContinuationToken;
pub use etag::Etag;
pub use lsn::Lsn;
pub use session_token::SessionToken;
pub use timestamp::{TimestampMs, TimestampSeconds};
