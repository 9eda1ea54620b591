//! Check 13: decisions are numbered records with four headings, and every third-party dependency has its reason in one.

use std::collections::BTreeMap;

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{Manifest, Tree, headings};

const RULE: &str = "decision-records";
const FOLDER: &str = "docs/decisions/";
const DEPENDENCIES: &str = "docs/decisions/0005-dependencies.md";
const HEADINGS: &[&str] = &["Context", "Decision", "Consequences", "Refused"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    check_records(tree, report);
    check_dependencies(tree, report);
}

fn check_records(tree: &Tree, report: &mut TidyReport) {
    let mut records: BTreeMap<&str, &str> = BTreeMap::new();
    for path in tree.paths() {
        let Some(name) = path.strip_prefix(FOLDER) else {
            continue;
        };
        if name == "README.md" {
            continue;
        }
        let Some(number) = record_number(name) else {
            find(path, "the name is not `NNNN-title.md`".to_owned(), report);
            continue;
        };
        if let Some(other) = records.insert(number, path) {
            find(path, format!("the number {number} is also used by {other}"), report);
        }
        let text = tree.text(path).unwrap_or_default();
        let present: Vec<String> = headings(&text).into_iter().map(|found| found.text).collect();
        for wanted in HEADINGS.iter().filter(|wanted| !present.iter().any(|has| has == *wanted)) {
            find(path, format!("no heading `{wanted}`"), report);
        }
    }
    if records.is_empty() {
        report.skip(RULE, "docs/decisions/ has no record yet, none was read");
    }
}

/// The four digits that open the name of a record.
fn record_number(name: &str) -> Option<&str> {
    let (number, title) = name.split_once('-')?;
    let digits = number.len() == 4 && number.chars().all(|char| char.is_ascii_digit());
    (digits && title.ends_with(".md") && title.len() > ".md".len()).then_some(number)
}

fn check_dependencies(tree: &Tree, report: &mut TidyReport) {
    let Some(record) = tree.text(DEPENDENCIES) else {
        let why = format!("{DEPENDENCIES} does not exist yet, no dependency was looked up");
        return report.skip(RULE, &why);
    };
    let root = Manifest::parse(&tree.text("Cargo.toml").unwrap_or_default());
    for (name, line) in root.third_party() {
        if !names(&record, &name) {
            let message = TidyMessage::new(
                format!("`{name}` is not named in {DEPENDENCIES}"),
                "a dependency is a decision that others must be able to question",
                "say there why it is here and what was refused for it",
            );
            report.find("Cargo.toml", line, RULE, message);
        }
    }
}

// Whole words only: `serde_json` in the record does not give a reason for `serde`.
fn names(record: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    record.split(|char| !is_part(char)).any(|word| word == name)
}

fn find(path: &str, what: String, report: &mut TidyReport) {
    let message = TidyMessage::new(
        what,
        "the next person can disagree usefully only with a complete record",
        format!("name it NNNN-title.md, with the headings {}", HEADINGS.join(", ")),
    );
    report.find(path, 1, RULE, message);
}

#[cfg(test)]
mod tests {
    use super::{DEPENDENCIES, check};
    use crate::finding::TidyReport;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    const GOOD: &str = "# T\n## Context\n## Decision\n## Consequences\n## Refused\n";

    #[test]
    fn incomplete_and_doubled_records_are_found() {
        let tree = Fixture::new("decisions")
            .file("docs/decisions/0001-store.md", GOOD)
            .file("docs/decisions/0001-words.md", GOOD)
            .file("docs/decisions/0002-half.md", "# T\n## Context\n## Decision\n")
            .file("docs/decisions/notes.md", GOOD)
            .open();
        let folder = "docs/decisions";
        let rule = "decision-records";
        let expected = [
            format!(
                "{folder}/0001-words.md:1: {rule}: \
                 the number 0001 is also used by {folder}/0001-store.md"
            ),
            format!("{folder}/0002-half.md:1: {rule}: no heading `Consequences`"),
            format!("{folder}/0002-half.md:1: {rule}: no heading `Refused`"),
            format!("{folder}/notes.md:1: {rule}: the name is not `NNNN-title.md`"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let manifest = "[workspace.dependencies]\nmodel = { path = \"m\" }\n\
                        bytes = \"1\"\nasync-trait = \"1\"\n";
        let tree = Fixture::new("decisions-dependencies")
            .file("Cargo.toml", manifest)
            .file(DEPENDENCIES, &format!("{GOOD}\n`async-trait` is here because.\n"))
            .open();
        let expected =
            format!("Cargo.toml:3: decision-records: `bytes` is not named in {DEPENDENCIES}");
        assert_eq!(found(&tree, check), [expected]);
    }

    #[test]
    fn missing_records_are_said_aloud() {
        let mut report = TidyReport::default();
        check(&Fixture::new("decisions-none").open(), &mut report);
        assert_eq!((report.findings.len(), report.skipped.len()), (0, 2));
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
