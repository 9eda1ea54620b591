//! A panic is a bug of ours; the user gets a sentence instead of a stack.
//!
//! Owns the hook and the last panic it saw. The store's tree panics on some damaged files and the store turns that into
//! an error, so the hook itself must stay silent: what is told is decided by whoever catches.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command and turns a panic into a failure.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    set_hook(Box::new(remember));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::new("internal error", last.unwrap_or_else(|| "without a reason".to_owned()))
            .way_out("This is a bug: please report it with the command you ran"))
    })
}

fn remember(panic: &PanicHookInfo<'_>) {
    let text = panic.payload_as_str().unwrap_or("without a reason");
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    let told = format!("{text}{}", place.unwrap_or_default());
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
}
