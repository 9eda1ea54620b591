//! Check 9: at most one integration test binary per crate, `tests/it/main.rs`.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{Tree, WorkspacePackage, packages};

const RULE: &str = "test-binaries";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for package in packages(tree) {
        check_files(tree, &package, report);
        if package.manifest.count("test", "name") > 1 {
            let manifest = format!("{}/Cargo.toml", package.folder);
            find(&manifest, "more than one `[[test]]`", report);
        }
    }
}

fn check_files(tree: &Tree, package: &WorkspacePackage, report: &mut TidyReport) {
    let tests = format!("{}/tests/", package.folder);
    for path in tree.rust_paths() {
        let Some(inside) = path.strip_prefix(&tests) else {
            continue;
        };
        let is_binary = match inside.split_once('/') {
            None => true,
            Some((folder, rest)) => rest == "main.rs" && folder != "it",
        };
        if is_binary {
            find(path, "a second integration test binary", report);
        }
    }
}

fn find(path: &str, what: &str, report: &mut TidyReport) {
    let message = TidyMessage::new(
        what,
        "each binary is linked anew, and a hundred of them are never run",
        "make it a module of tests/it/main.rs",
    );
    report.find(path, 1, RULE, message);
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn a_second_binary_is_found() {
        let two = "[package]\nname = \"b\"\n[[test]]\nname = \"x\"\n[[test]]\nname = \"y\"\n";
        let tree = Fixture::new("binaries")
            .file("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n")
            .file("a/Cargo.toml", "[package]\nname = \"a\"\n")
            .file("a/tests/it/main.rs", "")
            .file("a/tests/it/model.rs", "")
            .file("a/tests/loose.rs", "")
            .file("a/tests/other/main.rs", "")
            .file("b/Cargo.toml", two)
            .open();
        let expected = [
            "a/tests/loose.rs:1: test-binaries: a second integration test binary",
            "a/tests/other/main.rs:1: test-binaries: a second integration test binary",
            "b/Cargo.toml:1: test-binaries: more than one `[[test]]`",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
