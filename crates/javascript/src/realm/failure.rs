//! Exceptions as failures, in the words of the service.
//!
//! Owns the text of an exception with its stack. A thrown value is the script's: reading it may run its code, so that
//! every part of it may fail and is then left out.

use engine::script_runtime::{ScriptFailure, ScriptFailureKind};
use rquickjs::{Coerced, Ctx, Value};

use super::compile::PREFIX_BYTES;

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
    let frames: String = frames.map(|line| format!("\n   {}", place_in_text(line))).collect();
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

/// A frame with the place in the stored text: on its first line, the text is compiled behind a prefix.
fn place_in_text(frame: &str) -> String {
    const FIRST_LINE: &str = ".js:1:";
    let Some((before, after)) = frame.rsplit_once(FIRST_LINE) else { return frame.to_owned() };
    let end = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
    let (column, rest) = after.split_at_checked(end).unwrap_or((after, ""));
    match column.parse::<usize>() {
        Ok(column) => {
            let column = column.saturating_sub(PREFIX_BYTES).max(1);
            format!("{before}{FIRST_LINE}{column}{rest}")
        }
        Err(_) => frame.to_owned(),
    }
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        let end = (0..=TEXT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::place_in_text;

    #[test]
    fn a_frame_has_the_place_in_the_stored_text() {
        for (frame, expected) in [
            ("at run (a.js:1:20)", "at run (a.js:1:14)"),
            ("at a.js:1:3", "at a.js:1:1"),
            ("at run (a.js:2:20)", "at run (a.js:2:20)"),
            ("at run", "at run"),
        ] {
            assert_eq!(place_in_text(frame), expected);
        }
    }
}
