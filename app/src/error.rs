//! The error of a command, printed as one line: the action that failed, the reason and a hint, followed by details.
//!
//! Messages of the store and the engine may end with a hint after a semicolon; they are split here.

use std::error::Error;
use std::fmt;
use std::io::Write;
use std::process::ExitCode;

/// Exit code of a command that failed.
const FAILED: u8 = 2;

/// A command that could not be carried out.
#[derive(Debug)]
pub(crate) struct CommandError {
    action: String,
    reason: String,
    hint: String,
    /// Lines after the first, each with its line break before it.
    detail: String,
    /// The reader of our output is gone (`| head`), so nothing is printed.
    is_silent: bool,
}

impl CommandError {
    pub(crate) fn new(action: impl Into<String>, reason: impl Into<String>) -> Self {
        let (action, reason) = (action.into(), reason.into());
        Self { action, reason, hint: String::new(), detail: String::new(), is_silent: false }
    }

    /// Adds lines with details; each starts with a line break.
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Adds a hint: what the user can do.
    pub(crate) fn hint(mut self, hint: impl AsRef<str>) -> Self {
        self.hint = capitalized(hint.as_ref());
        self
    }

    /// Adds a hint unless the error has one of its own.
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        if self.hint == DEFAULT_HINT { self.hint(hint) } else { self }
    }

    /// Wraps an error of the store or the engine.
    pub(crate) fn from_error(action: impl Into<String>, error: &(dyn Error + 'static)) -> Self {
        let error = storage_error(error);
        let message = error.to_string();
        let cause = error.source().map(ToString::to_string);
        // Some errors print their cause and also name it as their source; it is printed once, in parentheses.
        let sentence = match &cause {
            Some(cause) => message.strip_suffix(&format!(": {cause}")).unwrap_or(&message),
            None => &message,
        };
        let sentence = sentence.strip_prefix("the store failed: ").unwrap_or(sentence);
        let action = action.into();
        let sentence = sentence.strip_prefix(&format!("{action}: ")).unwrap_or(sentence);
        let (why, hint) = sentence.rsplit_once("; ").unwrap_or((sentence, DEFAULT_HINT));
        let why = why.trim_end_matches('.');
        let why = cause.map_or_else(|| why.to_owned(), |cause| format!("{why} ({cause})"));
        Self::new(action, why).hint(hint)
    }

    /// Standard output could not be written.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        let failure = Self::new("writing the output", error.to_string());
        let is_silent = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { is_silent, ..failure }.hint("Free space where the output goes, or send it elsewhere")
    }

    /// Prints the error and returns the exit code.
    pub(crate) fn print(&self) -> ExitCode {
        if self.is_silent {
            // Like other tools under `| head`: the reader has what it wanted.
            return ExitCode::SUCCESS;
        }
        // If even this cannot be written, the exit code remains.
        let _ = writeln!(std::io::stderr(), "{self}");
        ExitCode::from(FAILED)
    }
}

const DEFAULT_HINT: &str = "Run it again; if it happens again, check the disk and its free space";

impl fmt::Display for CommandError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, reason, hint, detail, .. } = self;
        write!(formatter, "planisphere: {action}: {reason}. {hint}.{detail}")
    }
}

/// Skips the engine's "the store failed", which does not help a user.
fn storage_error<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    match error.source() {
        Some(source) if source.is::<storage::Error>() => source,
        _ => error,
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use storage::{Error, ErrorKind};

    use super::CommandError;

    fn check(error: &Error, expected: &str) {
        assert_eq!(CommandError::from_error("opening x", error).to_string(), expected);
    }

    #[test]
    fn a_message_is_split_into_reason_and_hint() {
        let error = Error::new(ErrorKind::CannotOpen, "opening x: it is a file; choose a folder");
        check(&error, "planisphere: opening x: it is a file. Choose a folder.");
    }

    #[test]
    fn the_cause_comes_before_the_hint() {
        let cause = std::io::Error::other("odd");
        let error = Error::new(ErrorKind::Corrupt, "x is damaged; restore it").with_source(cause);
        check(&error, "planisphere: opening x: x is damaged (odd). Restore it.");
    }

    #[test]
    fn the_error_of_the_store_replaces_that_of_the_engine() {
        let error = engine::Error::from(Error::new(ErrorKind::Device, "full; free space"));
        let message = CommandError::from_error("writing", &error).to_string();
        assert_eq!(message, "planisphere: writing: full. Free space.");
    }
}
