//! Positions: in the sequence of writes, in time, in the life of one resource, in a read.
//!
//! Owns lsns, timestamps, etags, session tokens and continuation tokens. Does not own a clock or a counter: callers
//! bring both.

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
