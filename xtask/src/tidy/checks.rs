//! The list of all checks. A new check is a new file beside this one and a line here.

use crate::finding::TidyReport;
use crate::ratchet::Offense;
use crate::reading::Tree;
use crate::tidy::{names, structure, text};

/// A check: its name as printed, and the function that runs it.
type TidyCheck = (&'static str, fn(&Tree, &mut TidyReport));

const CHECKS: &[TidyCheck] = &[
    ("opening-doc", text::opening_doc::check),
    ("length-limits", text::length_limits::check),
    ("unfinished-work", text::unfinished_work::check),
    ("changelog", text::changelog::check),
    ("decision-records", text::decision_records::check),
    ("machine-paths", text::machine_paths::check),
    ("named-tests", text::named_tests::check),
    ("format-folders", text::format_folders::check),
    ("architecture-map", structure::architecture_map::check),
    ("dependency-table", structure::dependency_table::check),
    ("folder-shape", structure::folder_shape::check),
    ("module-files", structure::module_files::check),
    ("module-imports", structure::module_imports::check),
    ("test-binaries", structure::test_binaries::check),
    ("name-ban", names::banned::check),
    ("glossary", names::glossary_words::check),
    ("glossary-names", names::glossary_names::check),
    ("predicates", names::predicates::check),
    ("type-names", names::type_names::check),
];

/// Runs every check on `tree` and returns the report and the number of checks.
pub(crate) fn check_all(tree: &Tree) -> (TidyReport, usize) {
    let mut report = TidyReport::default();
    for (_, check) in CHECKS {
        check(tree, &mut report);
    }
    report.findings.sort();
    (report, CHECKS.len())
}

/// Every offense against a limit that has a ratchet, exceptions included.
pub(crate) fn offenses(tree: &Tree) -> Vec<Offense> {
    let mut offenses = text::length_limits::offenses(tree);
    offenses.extend(names::glossary_words::offenses(tree, &mut TidyReport::default()));
    offenses
}

#[cfg(test)]
mod tests {
    use super::CHECKS;

    #[test]
    fn every_check_has_its_own_name() {
        let mut names: Vec<_> = CHECKS.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }
}
