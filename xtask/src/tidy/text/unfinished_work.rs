//! Check 11: a marker of unfinished work names an issue, and no test is ignored or expected to panic.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree};

const RULE: &str = "unfinished-work";

/// Spelled in two halves, so that this file does not find itself.
const MARKERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME")];
const ENDINGS: &[&str] =
    &[".rs", ".toml", ".sh", ".yml", ".yaml", ".py", ".js", ".ts", ".html", ".css", ".sql"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for path in tree.paths() {
        if ENDINGS.iter().any(|ending| path.ends_with(ending)) {
            let text = tree.text(path).unwrap_or_default();
            check_markers(path, &text, report);
            if path.ends_with(".rs") {
                check_tests(path, &RustText::new(&text), report);
            }
        }
    }
}

fn check_markers(path: &str, text: &str, report: &mut TidyReport) {
    for (index, line) in text.lines().enumerate() {
        for marker in MARKERS {
            if has_word(line, marker) && !has_issue(line) {
                let message = TidyMessage::new(
                    format!("`{marker}` without an issue"),
                    "work that nobody owns is never done",
                    "do it now, or open an issue and put its link on the same line",
                );
                report.find(path, index + 1, RULE, message);
            }
        }
    }
}

fn check_tests(path: &str, text: &RustText, report: &mut TidyReport) {
    for (index, line) in text.code().lines().enumerate() {
        let dense: String = line.chars().filter(|char| !char.is_whitespace()).collect();
        let ignored = dense.contains("#[ignore]") || dense.contains("#[ignore=");
        if ignored || (dense.contains(",ignore") && dense.contains("cfg_attr(")) {
            find_test(path, index + 1, "an ignored test", report);
        }
        if has_word(line, "should_panic") {
            find_test(path, index + 1, "a test that should panic", report);
        }
    }
    for (index, line) in text.comments().lines().enumerate() {
        let fence = line.trim_start().trim_start_matches(['/', '!']).trim().strip_prefix("```");
        let mut words = fence.unwrap_or_default().split(',').map(str::trim);
        if words.any(|word| word == "ignore" || word == "should_panic") {
            find_test(path, index + 1, "an example that is not run as written", report);
        }
    }
}

fn find_test(path: &str, line: usize, what: &str, report: &mut TidyReport) {
    let message = TidyMessage::new(
        what,
        "a test that does not run or passes for any panic promises nothing",
        "make it run and compare what it gives, or delete it",
    );
    report.find(path, line, RULE, message);
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A link to an issue, or its number after a `#`.
fn has_issue(line: &str) -> bool {
    let numbered = |text: &str| text.starts_with(|char: char| char.is_ascii_digit());
    let by_link = line.contains("https://") && line.contains("/issues/");
    by_link || line.split('#').skip(1).any(numbered)
}

#[cfg(test)]
mod tests {
    use super::{MARKERS, check};
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn markers_without_an_issue_are_found() {
        let marker = MARKERS[0];
        let text = format!(
            "// {marker}: later\n// {marker}(#12): later\n\
             // {marker} https://example.com/issues/3\nlet {marker}_LIST = 1;\n"
        );
        let tree = Fixture::new("markers")
            .file("a/src/lib.rs", &text)
            .file("a.md", &format!("{marker} is a word\n"))
            .open();
        let expected = format!("a/src/lib.rs:1: unfinished-work: `{marker}` without an issue");
        assert_eq!(found(&tree, check), [expected]);
    }

    #[test]
    fn tests_that_promise_nothing_are_found() {
        let text = "#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}\n\
                    #[should_panic]\nfn c() {}\n/// ```ignore\n/// ```\nlet d = \"#[ignore]\";\n";
        let tree = Fixture::new("ignored").file("a/src/lib.rs", text).open();
        let expected = [
            "a/src/lib.rs:1: unfinished-work: an ignored test",
            "a/src/lib.rs:3: unfinished-work: an ignored test",
            "a/src/lib.rs:5: unfinished-work: a test that should panic",
            "a/src/lib.rs:7: unfinished-work: an example that is not run as written",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
