//! Map status codes to our error kinds.

use std::time::Duration;

use azure_data_cosmos::CosmosError;

use crate::error::{Error, ErrorKind};

/// Translates an error of the SDK. Without a response it is unknown whether a write was executed.
#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
pub(super) fn translate(error: CosmosError) -> Error {
    let status = error.status();
    let code = u16::from(status.status_code());
    let delay = error
        .response()
        .and_then(|response| response.headers().retry_after_ms)
        .map(Duration::from_millis);
    let sub_status = status.sub_status().map(|code| u32::from(code.value()));
    let Some(kind) = error_kind(code, sub_status, delay) else {
        return Error::unknown_outcome(message(&error, code));
    };
    Error::new(kind, message(&error, code))
}

/// The error kind of a status; `None` when the account was not available.
pub(super) fn error_kind(
    code: u16,
    sub_status: Option<u32>,
    delay: Option<Duration>,
) -> Option<ErrorKind> {
    /// The session token is ahead of the replica that answered.
    const SESSION_NOT_AVAILABLE: u32 = 1002;
    /// The logical partition is full.
    const PARTITION_FULL: u32 = 1014;
    Some(match (code, sub_status) {
        // Not "not found": the replica is behind, and a retry will find the item.
        (404, Some(SESSION_NOT_AVAILABLE)) => ErrorKind::Unavailable,
        (404, _) => ErrorKind::NotFound,
        (409, _) => ErrorKind::Conflict,
        (412, _) => ErrorKind::Precondition,
        (429, _) => ErrorKind::Throttled { delay },
        (413, _) | (403, Some(PARTITION_FULL)) => ErrorKind::TooLarge,
        (401 | 403, _) => ErrorKind::Unauthorized,
        // The account asks to repeat the request: nothing was executed.
        (449, _) => ErrorKind::Unavailable,
        // 408 and 410 are missing on purpose: a timeout, and a partition that has moved. Both are worth a retry.
        (400..=407 | 411..=499, _) if code != 410 => ErrorKind::BadRequest,
        _ => return None,
    })
}

fn message(error: &CosmosError, code: u16) -> String {
    let text = error.to_string();
    // The SDK appends diagnostics of many lines.
    let first = text.lines().next().unwrap_or_default();
    format!("the account returned {code}: {first}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_status_codes() {
        let delay = Some(Duration::from_millis(7));
        let table = [
            (400, None, Some(ErrorKind::BadRequest)),
            (401, None, Some(ErrorKind::Unauthorized)),
            (403, None, Some(ErrorKind::Unauthorized)),
            (403, Some(1014), Some(ErrorKind::TooLarge)),
            (404, None, Some(ErrorKind::NotFound)),
            (404, Some(1002), Some(ErrorKind::Unavailable)),
            (408, None, None),
            (409, None, Some(ErrorKind::Conflict)),
            (410, None, None),
            (412, None, Some(ErrorKind::Precondition)),
            (413, None, Some(ErrorKind::TooLarge)),
            (424, None, Some(ErrorKind::BadRequest)),
            (429, None, Some(ErrorKind::Throttled { delay })),
            (449, None, Some(ErrorKind::Unavailable)),
            (500, None, None),
            (503, None, None),
        ];
        for (code, sub_status, expected) in table {
            assert_eq!(error_kind(code, sub_status, delay), expected, "{code} {sub_status:?}");
        }
    }
}
