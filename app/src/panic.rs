//! Turns a panic, which is a bug, into an error message instead of a stack trace.
//!
//! The panic hook only records the message: the storage library panics on some damaged files, and the store catches
//! that and reports an error.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::{Mutex, PoisonError};

use crate::error::CommandError;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs a command and turns a panic into an error.
pub(crate) fn catch_panics<T>(
    run: impl FnOnce() -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    set_hook(Box::new(record_panic));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(CommandError::new(
            "internal error",
            last.unwrap_or_else(|| "without a reason".to_owned()),
        )
        .hint("This is a bug: please report it with the command you ran"))
    })
}

fn record_panic(panic: &PanicHookInfo<'_>) {
    let text = panic.payload_as_str().unwrap_or("without a reason");
    let location = panic.location();
    let location = location.map(|location| format!(" ({}:{})", location.file(), location.line()));
    let message = format!("{text}{}", location.unwrap_or_default());
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
}
