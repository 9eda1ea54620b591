//! Marks error positions in the query text.
//!
//! Prints the line of the text and carets below it. Positions are in UTF-16 code units, as in the service.

use std::fmt::Write;

use query::{QueryError, TextLocation};

/// Columns printed of a line; a longer line is cut around the position.
const COLUMNS_MAX: usize = 96;
/// Columns printed before the position if a line is cut.
const COLUMNS_BEFORE: usize = 40;

/// All errors as messages, with their positions in the text.
pub(super) fn mark_errors(text: &str, errors: &[QueryError]) -> String {
    let mut lines = String::new();
    for error in errors {
        // A string takes every write.
        let _ = write!(lines, "\n  {}: {}", error.code, error.message);
        if let Some(location) = error.location {
            lines += &caret(text, location);
        }
    }
    lines
}

/// The line of a position, and the carets below it.
fn caret(text: &str, location: TextLocation) -> String {
    let start = byte_of(text, location.start);
    let end = byte_of(text, location.end).max(start);
    let (before, rest) = text.split_at(start);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let number = before.matches('\n').count() + 1;
    let lead: Vec<char> = before.get(line_start..).unwrap_or_default().chars().collect();
    let meant = rest.get(..end - start).unwrap_or_default();
    let meant = meant.lines().next().unwrap_or_default().chars().count().max(1);
    let tail = rest.lines().next().unwrap_or_default();

    let cut = if lead.len() + tail.chars().count() > COLUMNS_MAX {
        lead.len().saturating_sub(COLUMNS_BEFORE)
    } else {
        0
    };
    let lead: String = lead.into_iter().skip(cut).map(shown).collect();
    let room = COLUMNS_MAX.saturating_sub(lead.chars().count()).max(1);
    let is_cut_after = tail.chars().count() > room;
    let tail: String = tail.chars().take(room).map(shown).collect();
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    let label = format!("  line {number} | ");
    let head = format!("{label}{}{lead}", dots(cut > 0));
    let indent = " ".repeat(console::measure_text_width(&head));
    let under: String = tail.chars().take(meant).collect();
    let carets = "^".repeat(console::measure_text_width(&under).max(1));
    format!("\n{head}{tail}{}\n{indent}{carets}", dots(is_cut_after))
}

/// Control characters would shift the caret.
fn shown(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

/// The byte offset of a number of UTF-16 code units.
fn byte_of(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, character) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += character.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let output = mark_errors(text, &query::parse(text).unwrap_err());
        assert_eq!(output.lines().skip(2).collect::<Vec<_>>(), expected, "{output}");
    }

    #[test]
    fn carets_stand_under_the_word() {
        check("SELECT * FORM c", &["  line 1 | SELECT * FORM c", "                    ^^^^"]);
    }

    #[test]
    fn a_text_that_ends_too_early_is_pointed_at_behind_its_end() {
        let line = "  line 1 | SELECT * FROM";
        check("SELECT * FROM", &[line, &(" ".repeat(line.len()) + "^")]);
    }

    #[test]
    fn the_line_of_the_place_is_shown_with_its_number() {
        let text = "SELECT *\nFROM c\nWHEN 1";
        check(text, &["  line 3 | WHEN 1", "           ^^^^"]);
    }

    #[test]
    fn wide_and_astral_characters_do_not_move_the_caret() {
        let text = "SELECT '界😀' ! FROM c";
        check(text, &["  line 1 | SELECT '界😀' ! FROM c", "                         ^"]);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("SELECT {} FORM c {}", "x".repeat(300), "y".repeat(300));
        let output = mark_errors(&text, &query::parse(&text).unwrap_err());
        let lines: Vec<&str> = output.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() < 130), "{output}");
        assert!(lines[2].contains('…') && lines[3].trim_start().starts_with('^'), "{output}");
    }
}
