//! Check 2: `docs/ARCHITECTURE.md` names every crate and every first-level module, and nothing that does not exist.
//!
//! A crate is named by a heading that contains its name. Its modules are named inside the sections under such headings:
//! in a heading, in code, in a fenced block or in the first cell of a table row; or anywhere by their full path.

use std::collections::BTreeSet;

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{Heading, Tree, WorkspacePackage, code_spans, headings, is_fence, packages};

const RULE: &str = "architecture-map";
const DOCUMENT: &str = "docs/ARCHITECTURE.md";
const ROOTS: &[&str] =
    &["crates/", "docs/", "app/", "benchmarks/", "examples/", "systems/", "xtask/"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let Some(text) = tree.text(DOCUMENT) else {
        return report.skip(RULE, "docs/ARCHITECTURE.md does not exist yet, nothing was compared");
    };
    let headings = headings(&text);
    for package in packages(tree) {
        check_package(tree, &package, &text, &headings, report);
    }
    check_paths(tree, &text, report);
}

fn check_package(
    tree: &Tree,
    package: &WorkspacePackage,
    text: &str,
    headings: &[Heading],
    report: &mut TidyReport,
) {
    let sections: Vec<&Heading> =
        headings.iter().filter(|heading| tokens(&heading.text).contains(&package.name)).collect();
    if sections.is_empty() {
        let what = format!("no heading names the crate `{}`", package.name);
        let remedy = format!("add a section with `{}` in its heading", package.folder);
        report.find(DOCUMENT, 1, RULE, TidyMessage::new(what, WHY, remedy));
        return;
    }
    // Programs and tools need a section; only the modules of libraries are part of the map.
    if !package.folder.starts_with("crates/") {
        return;
    }
    let mut named = BTreeSet::new();
    for heading in &sections {
        named.extend(named_in_section(text, headings, heading));
    }
    let line = sections.first().map_or(1, |heading| heading.line);
    for (module, path) in modules(tree, &package.folder) {
        let by_path = text.contains(&format!("{}/src/{module}", package.folder));
        if !named.contains(&module) && !by_path {
            let what = format!("the module `{module}` of `{}` ({path}) is absent", package.name);
            let remedy = "add one line about it to the section of its crate";
            report.find(DOCUMENT, line, RULE, TidyMessage::new(what, WHY, remedy));
        }
    }
}

const WHY: &str = "the map is where a newcomer starts, and an incomplete map misleads";

/// The first-level modules of a crate, each with one of its paths.
fn modules(tree: &Tree, folder: &str) -> Vec<(String, String)> {
    let source = format!("{folder}/src/");
    let mut found: Vec<(String, String)> = Vec::new();
    for path in tree.rust_paths() {
        let Some(inside) = path.strip_prefix(&source) else {
            continue;
        };
        let module = match inside.split_once('/') {
            Some((folder, _)) => folder,
            None => inside.trim_end_matches(".rs"),
        };
        let is_root = matches!(module, "lib" | "main" | "tests");
        if !is_root && !found.iter().any(|(known, _)| known == module) {
            found.push((module.to_owned(), path.to_owned()));
        }
    }
    found
}

/// The words given as names between a heading and the next one of its level or above.
fn named_in_section(text: &str, headings: &[Heading], section: &Heading) -> BTreeSet<String> {
    let after = |heading: &&Heading| heading.line > section.line && heading.level <= section.level;
    let end = headings.iter().find(after).map_or(usize::MAX, |heading| heading.line);
    let mut named = BTreeSet::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let inside = (section.line..end).contains(&(index + 1));
        if is_fence(line) {
            fenced = !fenced;
        } else if inside && (fenced || line.starts_with('#')) {
            named.extend(tokens(line));
        } else if inside {
            for span in code_spans(line) {
                named.extend(tokens(span));
            }
            let cell = line.trim_start().strip_prefix('|').and_then(|row| row.split('|').next());
            named.extend(cell.map(tokens).unwrap_or_default());
        }
    }
    named
}

fn tokens(text: &str) -> BTreeSet<String> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    text.split(|char| !is_name(char)).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Every path written as code exists.
fn check_paths(tree: &Tree, text: &str, report: &mut TidyReport) {
    for (index, line) in text.lines().enumerate() {
        for span in code_spans(line) {
            let path = span.split(['#', ':']).next().unwrap_or(span).trim_end_matches('/');
            let looks_like_ours = ROOTS.iter().any(|root| path.starts_with(root));
            // A placeholder or a glob names many paths and cannot be looked up.
            let is_pattern = path.contains(['<', '*', '{', ' ']) || path.contains("..");
            if looks_like_ours && !is_pattern && !tree.has(path) {
                let message = TidyMessage::new(
                    format!("`{path}` does not exist"),
                    "the document must match the tree",
                    "correct the path or drop the sentence",
                );
                report.find(DOCUMENT, index + 1, RULE, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::finding::TidyReport;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    fn fixture(name: &str) -> Fixture {
        Fixture::new(name)
            .file("Cargo.toml", "[workspace]\nmembers = [\"crates/model\", \"app\"]\n")
            .file("crates/model/Cargo.toml", "[package]\nname = \"model\"\n")
            .file("crates/model/src/lib.rs", "//! M.\n")
            .file("crates/model/src/limits.rs", "//! L.\n")
            .file("crates/model/src/value/mod.rs", "//! V.\n")
            .file("app/Cargo.toml", "[package]\nname = \"app\"\n")
    }

    #[test]
    fn a_complete_map_is_clean() {
        let tree = fixture("map-good")
            .file(
                "docs/ARCHITECTURE.md",
                "# Map\n## `crates/model`\n| value/ | numbers |\n\nAlso `limits.rs`.\n\
                 ## `app`\nWires; see `crates/model/src/lib.rs` and `crates/<name>/src`.\n",
            )
            .open();
        assert_eq!(found(&tree, check), Vec::<String>::new());
    }

    #[test]
    fn holes_and_ghosts_are_found() {
        let tree = fixture("map-bad")
            .file(
                "docs/ARCHITECTURE.md",
                "# Map\n## `crates/model`\nThe value is here, and `limits`.\n\
                 See `docs/GONE.md` and `crates/model/src/old.rs`.\n",
            )
            .open();
        let rule = "architecture-map";
        let map = "docs/ARCHITECTURE.md";
        let module = "the module `value` of `model` (crates/model/src/value/mod.rs) is absent";
        let expected = [
            format!("{map}:2: {rule}: {module}"),
            format!("{map}:1: {rule}: no heading names the crate `app`"),
            format!("{map}:4: {rule}: `docs/GONE.md` does not exist"),
            format!("{map}:4: {rule}: `crates/model/src/old.rs` does not exist"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn a_missing_map_is_said_aloud() {
        let mut report = TidyReport::default();
        check(&fixture("map-none").open(), &mut report);
        assert_eq!((report.findings.len(), report.skipped.len()), (0, 1));
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
