//! Check 15: the bytes of every on-disk format are kept in `formats/vN`, so that today's code is shown to open them.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree};

const RULE: &str = "format-folders";
const SOURCE: &str = "crates/storage-lsm/src/";
const CONSTANT: &str = "FORMAT_VERSION";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let Some(declared) = declaration(tree) else {
        let why = format!("{SOURCE} has no constant {CONSTANT} yet, no folder was looked for");
        return report.skip(RULE, &why);
    };
    let Declaration { path, line, number } = declared;
    let Some(number) = number else {
        let message = TidyMessage::new(
            format!("{CONSTANT} is not a plain number"),
            "its folder of kept bytes is found by that number",
            format!("write `const {CONSTANT}: u32 = 1;`"),
        );
        return report.find(&path, line, RULE, message);
    };
    for version in 1..=number {
        let folder = format!("formats/v{version}");
        if !tree.has(&folder) {
            let message = TidyMessage::new(
                format!("{CONSTANT} is {number} and {folder} has no files"),
                "opening yesterday's bytes is a promise, and only kept bytes can test it",
                format!("keep a store written by format {version} in {folder}"),
            );
            report.find(&path, line, RULE, message);
        }
    }
}

struct Declaration {
    path: String,
    line: usize,
    number: Option<usize>,
}

/// The line `const FORMAT_VERSION: _ = number;` and its number, if it is written as one.
fn declaration(tree: &Tree) -> Option<Declaration> {
    for path in tree.rust_paths().filter(|path| path.starts_with(SOURCE)) {
        let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
        for (index, line) in code.lines().enumerate() {
            let Some((before, after)) = line.split_once(CONSTANT) else {
                continue;
            };
            if !before.trim_end().ends_with("const") || !after.trim_start().starts_with(':') {
                continue;
            }
            let value = after.split_once('=').map_or("", |(_, value)| value);
            let digits: String = value.chars().filter(char::is_ascii_digit).collect();
            let (path, line) = (path.to_owned(), index + 1);
            return Some(Declaration { path, line, number: digits.parse().ok() });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::finding::TidyReport;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    const PATH: &str = "crates/storage-lsm/src/open.rs";

    #[test]
    fn a_format_without_kept_bytes_is_found() {
        let source = "//! O.\nassert(version == FORMAT_VERSION);\n\
                      pub(crate) const FORMAT_VERSION: u32 = 2;\n";
        let tree =
            Fixture::new("formats").file(PATH, source).file("formats/v1/keys.bin", "a").open();
        let expected =
            format!("{PATH}:3: format-folders: FORMAT_VERSION is 2 and formats/v2 has no files");
        assert_eq!(found(&tree, check), [expected]);
    }

    #[test]
    fn a_format_that_cannot_be_read_is_found() {
        let tree =
            Fixture::new("formats-odd").file(PATH, "const FORMAT_VERSION: u32 = LAST;\n").open();
        let expected = format!("{PATH}:1: format-folders: FORMAT_VERSION is not a plain number");
        assert_eq!(found(&tree, check), [expected]);
    }

    #[test]
    fn a_missing_constant_is_said_aloud() {
        let mut report = TidyReport::default();
        check(&Fixture::new("formats-none").open(), &mut report);
        assert_eq!((report.findings.len(), report.skipped.len()), (0, 1));
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
