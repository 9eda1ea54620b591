//! Positions: in the sequence of writes, in time, in the life of one resource, in a read.
//!
//! Owns lsns, timestamps, etags, session tokens and continuation tokens. Does not own a clock or a counter: callers
//! bring both.

mod lsn;
mod timestamp;

mod etag;

mod session_token;

mod continuation_token;

pub use continuation_token::ContinuationToken;
pub use etag::{Etag, EtagCondition};
pub use lsn::Lsn;
pub use session_token::SessionToken;
pub use timestamp::{TimestampMs, TimestampSeconds};
