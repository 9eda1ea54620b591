//! Check 4: files, functions and lines stay short. The tail is what tires a reader, so it is held from the first day.
//!
//! Measures; today's exceptions are settled by `ratchet.rs`. Tests do not count in the length of a file, and a comment
//! or a string may run a little longer than code, because wrapping prose at another width than rustfmt helps nobody.

use crate::finding::{TidyMessage, TidyReport};
use crate::ratchet::{self, Offense};
use crate::reading::{CharKind, RustText, Tree, functions, test_lines};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;
const CODE_COLUMNS_MAX: usize = 100;
const TEXT_COLUMNS_MAX: usize = 120;

const FILE: &str = "file-length";
const FUNCTION: &str = "function-length";
const LINE: &str = "line-length";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    ratchet::settle(tree, &[FILE, FUNCTION, LINE], &offenses(tree), report);
}

/// Everything over a limit.
pub(crate) fn offenses(tree: &Tree) -> Vec<Offense> {
    let mut found = Vec::new();
    for path in tree.rust_paths() {
        let text = RustText::new(&tree.text(path).unwrap_or_default());
        let code = text.code();
        found.extend(file_offense(path, &text, &code));
        found.extend(function_offenses(path, &code));
        found.extend(line_offense(path, &text));
    }
    found
}

fn file_offense(path: &str, text: &RustText, code: &str) -> Option<Offense> {
    let is_test = path.split('/').any(|part| part == "tests" || part == "tests.rs");
    let lines = text.lines().len().saturating_sub(test_lines(code));
    (!is_test && lines > FILE_LINES_MAX).then(|| Offense {
        path: path.to_owned(),
        rule: FILE.to_owned(),
        number: lines,
        line: 1,
        message: TidyMessage::new(
            format!("{lines} lines without its tests, more than {FILE_LINES_MAX}"),
            "a long file hides several concepts",
            "give each concept its own file",
        ),
    })
}

fn function_offenses(path: &str, code: &str) -> Vec<Offense> {
    let long = functions(code).into_iter().filter(|found| found.lines > FUNCTION_LINES_MAX);
    let offense = |found: crate::reading::RustFunction| Offense {
        path: path.to_owned(),
        rule: format!("{FUNCTION}/{}", found.name),
        number: found.lines,
        line: found.line,
        message: TidyMessage::new(
            format!("`{}` has {} lines, more than {FUNCTION_LINES_MAX}", found.name, found.lines),
            "a function is read as one thought",
            "keep the branches here and move straight parts into named functions",
        ),
    };
    long.map(offense).collect()
}

fn line_offense(path: &str, text: &RustText) -> Option<Offense> {
    let lines = text.lines();
    let long = lines.iter().enumerate().filter(|(_, line)| is_too_long(line));
    let numbers: Vec<usize> = long.map(|(index, _)| index + 1).collect();
    let first = *numbers.first()?;
    let listed: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    Some(Offense {
        path: path.to_owned(),
        rule: LINE.to_owned(),
        number: numbers.len(),
        line: first,
        message: TidyMessage::new(
            format!(
                "too wide: {} (code ends at {CODE_COLUMNS_MAX} columns, comments and strings at \
                 {TEXT_COLUMNS_MAX})",
                listed.join(", ")
            ),
            "two files must fit side by side",
            "break the line, or name a part of it",
        ),
    })
}

fn is_too_long(line: &[(char, CharKind)]) -> bool {
    let width = width_without_closing(line);
    // What stands at the limit decides: a comment or a string that crosses it may run on to the wider limit.
    let crossing = line.get(CODE_COLUMNS_MAX).map(|(_, kind)| *kind);
    width > TEXT_COLUMNS_MAX || (width > CODE_COLUMNS_MAX && crossing == Some(CharKind::Code))
}

/// The width without the punctuation that closes a line after a string: a comma cannot be moved away from it.
fn width_without_closing(line: &[(char, CharKind)]) -> usize {
    let is_closing = |(char, kind): &&(char, CharKind)| {
        *kind == CharKind::Code && !char.is_alphanumeric() && !char.is_whitespace()
    };
    let closing = line.iter().rev().take_while(is_closing).count();
    let width = line.len() - closing;
    let before = width.checked_sub(1).and_then(|last| line.get(last));
    let after_string = before.is_some_and(|(_, kind)| *kind == CharKind::Literal);
    if after_string { width } else { line.len() }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::ratchet::LIST;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// t\n".repeat(300));
        let tree = Fixture::new("long-file")
            .file("a/src/fine.rs", &("// c\n".repeat(400) + &tests))
            .file("a/src/long.rs", &"// c\n".repeat(401))
            .file("a/src/long/tests.rs", &"// c\n".repeat(900))
            .open();
        let expected = ["a/src/long.rs:1: file-length: 401 lines without its tests, more than 400"];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn a_long_function_is_found() {
        let fine = format!("fn fine() {{\n{}}}\n", "    a();\n".repeat(68));
        let long = format!("fn long() {{\n{}}}\n", "    a();\n".repeat(69));
        let tree = Fixture::new("long-function").file("a/src/lib.rs", &(fine + &long)).open();
        let expected = ["a/src/lib.rs:71: function-length/long: `long` has 71 lines, more than 70"];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn a_wide_line_is_found_and_text_may_be_wider_than_code() {
        let code = format!("let {} = 1;\n", "a".repeat(91));
        let wide_code = format!("let {} = 1;\n", "a".repeat(92));
        let comment = format!("// {}\n", "c".repeat(117));
        let wide_comment = format!("// {}\n", "c".repeat(118));
        let string = format!("let a = \"{}\";\n", "s".repeat(105));
        let closed = format!("let ab = \"{}\");\n", "s".repeat(90));
        let text = code + &wide_code + &comment + &wide_comment + &string + &closed;
        let tree = Fixture::new("wide").file("a/src/lib.rs", &text).open();
        let expected = "a/src/lib.rs:2: line-length: too wide: 2, 4 (code ends at 100 columns, \
                        comments and strings at 120)";
        assert_eq!(found(&tree, check), [expected]);
    }

    #[test]
    fn an_exception_is_tolerated() {
        let tree = Fixture::new("long-listed")
            .file("a/src/long.rs", &"// c\n".repeat(401))
            .file(LIST, "a/src/long.rs file-length 401\n")
            .open();
        assert_eq!(found(&tree, check), Vec::<String>::new());
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
