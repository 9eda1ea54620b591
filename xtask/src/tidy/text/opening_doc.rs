//! Check 1: every Rust file opens with a `//!` paragraph, on its first line.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::Tree;

const RULE: &str = "opening-doc";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for path in tree.rust_paths() {
        let text = tree.text(path).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        let says_something = first.strip_prefix("//!").is_some_and(|doc| !doc.trim().is_empty());
        if !says_something {
            report.find(
                path,
                1,
                RULE,
                TidyMessage::new(
                    "the first line is not a `//!` sentence",
                    "a stranger must be able to start in any file",
                    "say what the file owns and what it deliberately does not do",
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn a_file_without_an_opening_sentence_is_found() {
        let tree = Fixture::new("opening-doc")
            .file("a/src/lib.rs", "//! Says what it is.\n")
            .file("a/src/late.rs", "\n//! Too late.\n")
            .file("a/src/mute.rs", "//!\nfn a() {}\n")
            .file("a/tests/it/main.rs", "fn a() {}\n")
            .open();
        let expected = [
            "a/src/late.rs:1: opening-doc: the first line is not a `//!` sentence",
            "a/src/mute.rs:1: opening-doc: the first line is not a `//!` sentence",
            "a/tests/it/main.rs:1: opening-doc: the first line is not a `//!` sentence",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
