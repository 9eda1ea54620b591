//! Why a command could not be carried out, as one line: what, why, and the way out; what needs to be shown follows it.
//!
//! Owns the shape of the line and the exit code. Does not own the sentences of the store and the engine: theirs end
//! with what to do after a semicolon, and are taken apart here.

use std::error::Error;
use std::fmt;
use std::io::Write;
use std::process::ExitCode;

/// Exit code of a command that could not be carried out.
const COULD_NOT: u8 = 2;

/// A command that could not be carried out.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    why: String,
    way_out: String,
    /// Lines after the first, each with its line break before it.
    detail: String,
    /// The reader of our output has gone; nobody is left to be told.
    is_silent: bool,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        let (what, why) = (what.into(), why.into());
        Self { what, why, way_out: String::new(), detail: String::new(), is_silent: false }
    }

    /// The same failure with lines that show more, each with its line break before it.
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same failure with what to do about it.
    pub(crate) fn way_out(mut self, way_out: impl AsRef<str>) -> Self {
        self.way_out = capitalised(way_out.as_ref());
        self
    }

    /// The same failure with what to do about it, unless it says so itself.
    pub(crate) fn or_way_out(self, way_out: &str) -> Self {
        if self.way_out == NO_WAY_KNOWN { self.way_out(way_out) } else { self }
    }

    /// A failure of the store or the engine while doing `what`.
    pub(crate) fn of(what: impl Into<String>, error: &(dyn Error + 'static)) -> Self {
        let error = innermost_of_ours(error);
        let whole = error.to_string();
        let cause = error.source().map(ToString::to_string);
        let sentence = match &cause {
            Some(cause) => whole.strip_suffix(&format!(": {cause}")).unwrap_or(&whole),
            None => &whole,
        };
        let sentence = sentence.strip_prefix("the store failed: ").unwrap_or(sentence);
        let what = what.into();
        let sentence = sentence.strip_prefix(&format!("{what}: ")).unwrap_or(sentence);
        let (why, way_out) = sentence.rsplit_once("; ").unwrap_or((sentence, NO_WAY_KNOWN));
        let why = why.trim_end_matches('.');
        let why = cause.map_or_else(|| why.to_owned(), |cause| format!("{why} ({cause})"));
        Self::new(what, why).way_out(way_out)
    }

    /// Our own output could not be written.
    pub(crate) fn of_output(error: &std::io::Error) -> Self {
        let failure = Self::new("writing the output", error.to_string());
        let is_silent = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { is_silent, ..failure }
            .way_out("Free space where the output goes, or send it elsewhere")
    }

    /// Prints the line and returns the exit code.
    pub(crate) fn tell(&self) -> ExitCode {
        if self.is_silent {
            return ExitCode::SUCCESS;
        }
        // When even this cannot be written, the exit code still speaks.
        let _ = writeln!(std::io::stderr(), "{self}");
        ExitCode::from(COULD_NOT)
    }
}

const NO_WAY_KNOWN: &str =
    "Run it again; if it happens again, look at the device and its free space";

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, why, way_out, detail, .. } = self;
        write!(formatter, "planisphere: {what}: {why}. {way_out}.{detail}")
    }
}

/// The engine wraps the store's error with "the store failed", which tells a user nothing.
fn innermost_of_ours<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    match error.source() {
        Some(source) if source.is::<storage::Error>() => source,
        _ => error,
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use storage::{Error, ErrorKind};

    use super::Failure;

    fn check(error: &Error, expected: &str) {
        assert_eq!(Failure::of("opening x", error).to_string(), expected);
    }

    #[test]
    fn a_sentence_is_taken_apart() {
        let error = Error::new(ErrorKind::CannotOpen, "opening x: it is a file; choose a folder");
        check(&error, "planisphere: opening x: it is a file. Choose a folder.");
    }

    #[test]
    fn the_cause_stands_before_the_way_out() {
        let cause = std::io::Error::other("odd");
        let error = Error::new(ErrorKind::Corrupt, "x is damaged; restore it").with_source(cause);
        check(&error, "planisphere: opening x: x is damaged (odd). Restore it.");
    }

    #[test]
    fn the_engine_steps_aside_for_the_store() {
        let error = engine::Error::from(Error::new(ErrorKind::Device, "full; free space"));
        let told = Failure::of("writing", &error).to_string();
        assert_eq!(told, "planisphere: writing: full. Free space.");
    }
}
