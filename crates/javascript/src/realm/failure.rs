//! Exceptions as failures, in the words of the service.
//!
//! Owns the text of an exception with its stack. A thrown value is the script's: reading it may run its code, so that
//! every part of it may fail and is then left out.

use engine::script_runtime::{ScriptFailure, ScriptFailureKind};
use rquickjs::{Coerced, Ctx, Value};

/// Bytes of an exception's text, and of its stack.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// The failure of a script whose code has thrown.
pub(crate) fn thrown(ctx: &Ctx<'_>, error: &rquickjs::Error) -> ScriptFailure {
    if !error.is_exception() {
        return refused(&format!("Error: {error}"));
    }
    let value = ctx.catch();
    describe(ctx, &value)
}

/// A failure that is not an exception.
pub(crate) fn refused(exception: &str) -> ScriptFailure {
    let message =
        format!("Encountered exception while executing Javascript. Exception = {exception}");
    ScriptFailure { kind: ScriptFailureKind::Thrown { number: None }, message }
}

/// The failure for a thrown value.
pub(crate) fn describe<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> ScriptFailure {
    // When the heap is exhausted there is no memory for the exception either.
    if value.is_null() {
        return out_of_memory();
    }
    let text = value.get::<Coerced<String>>().map(|text| text.0);
    if text.is_err() {
        // The second exception, of the conversion.
        let _ = ctx.catch();
    }
    let text = cut(text.unwrap_or_else(|_| "an exception that cannot be printed".to_owned()));
    if text.contains("InternalError: out of memory") {
        return out_of_memory();
    }
    let (mut number, mut stack) = (None, None);
    if let Some(object) = value.as_object() {
        number = object.get::<_, Option<f64>>("number").ok().flatten();
        stack = object.get::<_, Option<String>>("stack").ok().flatten();
        let _ = ctx.catch();
    }
    let number = number.filter(|number| (0.0..=f64::from(u16::MAX)).contains(number));
    let stack = cut(stack.unwrap_or_default());
    let frames = stack.lines().map(str::trim).filter(|line| is_script_frame(line));
    let frames: String = frames.map(|line| format!("\n   {line}")).collect();
    let message = format!(
        "Encountered exception while executing Javascript. Exception = {text}\r\nStack trace: {text}{frames}"
    );
    let kind = ScriptFailureKind::Thrown { number: number.map(|number| number as u16) };
    ScriptFailure { kind, message }
}

fn out_of_memory() -> ScriptFailure {
    ScriptFailure {
        kind: ScriptFailureKind::TooLarge,
        message: "The script exceeded its memory. Keep less, or read smaller pages.".to_owned(),
    }
}

/// Frames of our own code tell the author of a script nothing.
fn is_script_frame(line: &str) -> bool {
    !line.is_empty()
        && !line.contains("guards.js")
        && !line.contains("host.js")
        && !line.contains("(native)")
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        let end = (0..=TEXT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
    }
    text
}
