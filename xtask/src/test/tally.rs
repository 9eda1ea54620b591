//! The sum of test results, read from the lines that `cargo test` prints.

use std::fmt;

/// How many passed, failed and were skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TestTally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl TestTally {
    /// Adds the numbers of a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; ...`; ignores all others.
    pub(crate) fn read(&mut self, line: &str) {
        let line = without_colour(line);
        let Some((_, results)) = line.split_once("test result: ") else {
            return;
        };
        for part in results.split([';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(word)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(number) = number.parse::<usize>() else {
                continue;
            };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for TestTally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(formatter, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// The text without terminal colour sequences.
fn without_colour(line: &str) -> String {
    let mut plain = String::new();
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            // A sequence ends with its first letter.
            let _ = chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(char);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::TestTally;

    fn check(lines: &[&str], expected: &str) {
        let mut tally = TestTally::default();
        for line in lines {
            tally.read(line);
        }
        assert_eq!(tally.to_string(), expected);
    }

    #[test]
    fn results_are_summed_and_other_lines_ignored() {
        let first = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out";
        let second = "test result: FAILED. 2 passed; 4 failed; 0 ignored; finished in 0.05s";
        check(
            &["running 12 tests", first, "test a ... ok", second],
            "14 passed, 4 failed, 1 skipped",
        );
    }

    #[test]
    fn colours_do_not_matter() {
        check(
            &["test result: \u{1b}[32mok\u{1b}[0m. 2 passed; 0 failed; 0 ignored"],
            "2 passed, 0 failed, 0 skipped",
        );
    }
}
