//! Check 16: a type name is declared once in the workspace.
//!
//! Then a name in a stack trace, a log or a search means one thing. The names of [`ONE_PER_CRATE`] are conventional and
//! always read with the name of their crate, as in `engine::Error`; a crate declares each of them once.

use std::collections::BTreeMap;

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree, types};

const RULE: &str = "type-names";
const ONE_PER_CRATE: &[&str] = &["Error", "ErrorKind", "Result"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let mut declared: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for path in tree.rust_paths().filter(|path| is_checked(path)) {
        let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
        for declaration in types(&code) {
            let name = declaration.name;
            let is_conventional = ONE_PER_CRATE.contains(&name.as_str());
            let key = if is_conventional { format!("{}::{name}", package(path)) } else { name };
            declared.entry(key).or_default().push((path, declaration.line));
        }
    }
    for (name, places) in declared {
        let Some(((first, _), others)) = places.split_first() else { continue };
        for (path, line) in others {
            let message = TidyMessage::new(
                format!("the type name `{name}` is declared in {first} too"),
                "a reader who searches for the name must find one type",
                "qualify one of the two by its subject, as in `QueryPosition`",
            );
            report.find(path, *line, RULE, message);
        }
    }
}

/// Tests name their helpers freely. The fuzz targets and the conformance runner are workspaces of their own.
fn is_checked(path: &str) -> bool {
    let is_source = path.contains("/src/") || path.starts_with("examples/");
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    is_source && !is_test && !path.starts_with("conformance/")
}

/// The folder above `src`.
fn package(path: &str) -> &str {
    path.split("/src/").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn a_name_declared_twice_is_found() {
        let tree = Fixture::new("type-names")
            .file("a/src/lib.rs", "//! A.\nstruct Position;\npub struct Error;\n")
            .file("b/src/lib.rs", "//! B.\nenum Position {}\npub struct Error;\n")
            .file("b/src/deep.rs", "//! D.\npub struct Error;\n")
            .file("b/tests/it/main.rs", "//! T.\nstruct Position;\n")
            .open();
        let expected = [
            "b/src/lib.rs:2: type-names: the type name `Position` is declared in a/src/lib.rs too",
            "b/src/lib.rs:3: type-names: the type name `b::Error` is declared in b/src/deep.rs too",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
