//! Check 7: no catch-all names for files, modules or packages, because they only grow.

use std::collections::BTreeSet;

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree, packages};

const RULE: &str = "name-ban";
const BANNED: &[&str] = &["util", "utils", "common", "helpers", "misc", "types", "manager"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for package in packages(tree) {
        if is_banned(&package.name) {
            find(&format!("{}/Cargo.toml", package.folder), 1, &package.name, report);
        }
    }
    let mut seen = BTreeSet::new();
    for path in tree.rust_paths() {
        let mut so_far = String::new();
        for part in path.split('/') {
            so_far.push_str(part);
            let name = part.trim_end_matches(".rs");
            if is_banned(name) && seen.insert(so_far.clone()) {
                find(&so_far, 1, name, report);
            }
            so_far.push('/');
        }
        check_inline_modules(tree, path, report);
    }
}

/// Modules with a body in the same file; those in files of their own are seen by their paths.
fn check_inline_modules(tree: &Tree, path: &str, report: &mut TidyReport) {
    let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
    for (index, line) in code.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            if let ["mod", name] = pair
                && is_banned(name)
            {
                find(path, index + 1, name, report);
            }
        }
    }
}

fn is_banned(name: &str) -> bool {
    BANNED.contains(&name)
}

fn find(path: &str, line: usize, name: &str, report: &mut TidyReport) {
    let message = TidyMessage::new(
        format!("`{name}` is a catch-all name"),
        "everything fits such a name, so it only grows",
        "name the code after its subject",
    );
    report.find(path, line, RULE, message);
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn catch_all_names_are_found() {
        let tree = Fixture::new("names")
            .file("a/src/lib.rs", "//! A.\nmod misc {\n}\nmod fine {\n}\n")
            .file("a/src/util.rs", "//! U.\n")
            .file("a/src/common/one.rs", "//! O.\n")
            .file("a/src/common/two.rs", "//! T.\n")
            .open();
        let expected = [
            "a/src/common:1: name-ban: `common` is a catch-all name",
            "a/src/lib.rs:2: name-ban: `misc` is a catch-all name",
            "a/src/util.rs:1: name-ban: `util` is a catch-all name",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
