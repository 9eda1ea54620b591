//! Text cases.
//!
//! A file `*.sqltest` under `tests/cases` is a list of cases. Lines before the first case are comments. A case is a
//! title and sections, each a header and the lines below it:
//!
//! ```text
//! === a reserved word is no property name
//! --- query
//! SELECT c.value FROM c
//! --- error
//! SC1001 9..14: Syntax error, incorrect syntax near 'value'.
//! ```
//!
//! | section | what it holds |
//! |---|---|
//! | `query` | the query text |
//! | `query-json` | the query text as a JSON string, for texts that lines cannot show |
//! | `parameters` | JSON: a list of `{"name": ..., "value": ...}` |
//! | `printed` | the query parses, and this is its normal form |
//! | `properties` | the query binds, and these are its output properties, one per line |
//! | `aggregates` | the query binds, and these are its aggregates, one per line |
//! | `error` | the query is refused with these errors, one per line |
//! | `json` | the query is refused with this inner JSON |
//! | `items` | the items of the container, JSON, one per line |
//! | `rows` | the query gives these rows, one per line, in this order |
//! | `unordered` | the query gives these rows, in any order |
//! | `failure` | the query binds, and running it fails with this error |
//! | `values` | instead of a query: expressions with their values, `expression => value`, each line a case |
//!
//! Whatever parses must also print to a text that parses to the same tree. With `UPDATE_SQLTEST=1` in the
//! environment the expectations are rewritten from what happens; which sections a case has stays as written.

mod check;
mod file;
pub(crate) mod rows;
mod values;

use std::path::{Path, PathBuf};

use file::CaseFile;

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

/// All case files below a folder, in order of name.
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
