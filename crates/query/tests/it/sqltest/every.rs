//! Every case of every file.

use std::path::{Path, PathBuf};

use super::check;
use super::file::CaseFile;

#[test]
fn every_text_case_holds() {
    let updates = std::env::var_os("UPDATE_SQLTEST").is_some();
    let mut failures = Vec::new();
    let mut cases = 0;
    for path in case_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")) {
        let mut file = CaseFile::read(&path);
        for case in &mut file.cases {
            cases += case.section("values").map_or(1, |table| table.lines().count());
            failures.extend(check::check(&path, case, updates));
        }
        if updates {
            file.write(&path);
        }
    }
    assert!(failures.is_empty(), "{}\n{} of {cases} failed", failures.join("\n\n"), failures.len());
    assert!(cases >= 4_000, "only {cases} cases found");
}

#[test]
fn case_titles_are_unique_in_their_file() {
    for path in case_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")) {
        let file = CaseFile::read(&path);
        let mut titles: Vec<&str> = file.cases.iter().map(|case| case.title.as_str()).collect();
        titles.sort_unstable();
        for pair in titles.windows(2) {
            if let [left, right] = pair {
                assert_ne!(left, right, "{}", path.display());
            }
        }
    }
}

/// All case files below a folder, sorted by name.
fn case_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases exists") {
        let path = entry.expect("the folder of cases is readable").path();
        if path.is_dir() {
            files.extend(case_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "sqltest") {
            files.push(path);
        }
    }
    files.sort();
    files
}
