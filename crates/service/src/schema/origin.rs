//! Where something was declared, and what is wrong there.
//!
//! Owns the form in which mistakes of a file are told, all at once, each with its file and line.

use std::fmt;

/// A line of a file that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// One thing that is wrong in what was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// Where; none when no line is to blame.
    pub origin: Option<Origin>,
    /// What is wrong, with the value and what would be right.
    pub message: String,
}

/// Everything that is wrong in what was read, in the order of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistake {
    pub(super) fn at(origin: &Origin, message: impl Into<String>) -> Self {
        Self { origin: Some(origin.clone()), message: message.into() }
    }

    pub(super) fn anywhere(message: impl Into<String>) -> Self {
        Self { origin: None, message: message.into() }
    }
}

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Self {
        Self(vec![mistake])
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(origin) => write!(formatter, "{origin}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, mistake) in self.0.iter().enumerate() {
            if number > 0 {
                formatter.write_str("\n")?;
            }
            mistake.fmt(formatter)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

/// A text that was read, with its name.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
}

impl Source {
    /// The line an offset in bytes is on.
    pub(super) fn origin(&self, offset: usize) -> Origin {
        let before = self.text.as_bytes().iter().take(offset);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        Origin { file: self.name.clone(), line }
    }
}
