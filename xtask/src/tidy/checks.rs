//! The list of all checks. A new check is a new file beside this one and a line here.

use crate::finding::Report;
use crate::ratchet::Offense;
use crate::reading::Tree;
use crate::tidy;

/// A check: its name as printed, and the function that runs it.
type Check = (&'static str, fn(&Tree, &mut Report));

const CHECKS: &[Check] = &[
    ("opening-doc", tidy::opening_doc::check),
    ("architecture-map", tidy::architecture_map::check),
    ("dependency-table", tidy::dependency_table::check),
    ("length-limits", tidy::length_limits::check),
    ("folder-shape", tidy::folder_shape::check),
    ("name-ban", tidy::name_ban::check),
    ("module-files", tidy::module_files::check),
    ("test-binaries", tidy::test_binaries::check),
    ("glossary", tidy::glossary_words::check),
    ("unfinished-work", tidy::unfinished_work::check),
    ("changelog", tidy::changelog::check),
    ("decision-records", tidy::decision_records::check),
    ("machine-paths", tidy::machine_paths::check),
    ("format-folders", tidy::format_folders::check),
];

/// Runs every check on `tree` and says how many there were.
pub(crate) fn check_all(tree: &Tree) -> (Report, usize) {
    let mut report = Report::default();
    for (_, check) in CHECKS {
        check(tree, &mut report);
    }
    report.findings.sort();
    (report, CHECKS.len())
}

/// Everything over a limit that has a ratchet, exceptions included.
pub(crate) fn measured(tree: &Tree) -> Vec<Offense> {
    let mut offenses = tidy::length_limits::offenses(tree);
    offenses.extend(tidy::glossary_words::offenses(tree, &mut Report::default()));
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
