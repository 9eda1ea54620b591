//! Writes to standard output, and warnings to standard error.
//!
//! If the reader is gone (`| head`), the command ends quietly instead of panicking.

use std::fmt::Display;
use std::io::Write;

use crate::error::CommandError;

/// Prints one line.
pub(crate) fn line(text: impl Display) -> Result<(), CommandError> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{text}").map_err(|error| CommandError::output(&error))
}

/// Prints a warning for the operator.
pub(crate) fn warn(line: &str) {
    // If even this cannot be written, nobody reads it.
    let _ = writeln!(std::io::stderr(), "planisphere: {line}");
}

/// Formats a number with a space between groups of three digits.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn thousands_are_apart() {
        let texts = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1 000", "1 234 567"]);
    }
}
