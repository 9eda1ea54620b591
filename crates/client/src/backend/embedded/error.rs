//! Translate errors of the engine.

use engine::ErrorKind as EngineKind;

use crate::error::{Error, ErrorKind};

/// Maps the engine's error kinds to ours. A store that fails during a write may have persisted it, so it is unknown
/// whether the write was executed.
#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
pub(crate) fn translate(error: engine::Error) -> Error {
    let kind = match error.kind() {
        EngineKind::NotFound | EngineKind::OwnerNotFound => ErrorKind::NotFound,
        EngineKind::Conflict => ErrorKind::Conflict,
        EngineKind::PreconditionFailed => ErrorKind::Precondition,
        EngineKind::Throttled { retry_after_ms } => {
            ErrorKind::Throttled { delay: Some(std::time::Duration::from_millis(retry_after_ms)) }
        }
        EngineKind::TooLarge => ErrorKind::TooLarge,
        EngineKind::Invalid
        | EngineKind::PartitionKeyMismatch
        | EngineKind::Immutable(_)
        | EngineKind::ContinuationRefused
        | EngineKind::BadQuery
        | EngineKind::ScriptFailed { .. } => ErrorKind::BadRequest,
        // Nothing was executed; a retry can succeed.
        EngineKind::SessionNotAvailable | EngineKind::PartitionGone | EngineKind::OutOfTime => {
            ErrorKind::Unavailable
        }
        // The store may have persisted the write before it failed.
        EngineKind::Unavailable => {
            return Error::unknown_outcome("the embedded account cannot be used now")
                .caused_by(&error.full_message());
        }
        EngineKind::Unsupported => ErrorKind::Unsupported,
        EngineKind::Corrupt => ErrorKind::Unexpected,
    };
    Error::new(kind, error.full_message()).with_charge(error.charge().as_f64())
}
