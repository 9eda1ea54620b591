//! Check 19: a table with the columns "test" and "file" names tests that exist.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{Tree, code_spans};

const RULE: &str = "named-tests";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let documents: Vec<&str> = tree.paths().filter(|path| path.ends_with(".md")).collect();
    for document in documents {
        for row in rows(&tree.text(document).unwrap_or_default()) {
            check_row(tree, document, &row, report);
        }
    }
}

fn check_row(tree: &Tree, document: &str, row: &TestRow, report: &mut TidyReport) {
    let Some(code) = tree.text(&row.file) else {
        return find(document, row, format!("`{}` does not exist", row.file), report);
    };
    for test in &row.tests {
        // A name without a function is that of the module, which the path of its file has.
        // A generic one is run for each kind of account.
        let declares = code.contains(&format!("fn {test}("))
            || code.contains(&format!("fn {test}<"))
            || row.file.contains(&format!("/{test}/"));
        if !declares {
            find(document, row, format!("`{}` has no test `{test}`", row.file), report);
        }
    }
}

fn find(document: &str, row: &TestRow, what: String, report: &mut TidyReport) {
    let message = TidyMessage::new(
        what,
        "a promise is kept only by a test that runs",
        "correct the name in the table, or bring the test back",
    );
    report.find(document, row.line, RULE, message);
}

struct TestRow {
    tests: Vec<String>,
    file: String,
    line: usize,
}

/// The rows of all tables that have both columns.
fn rows(text: &str) -> Vec<TestRow> {
    let mut found = Vec::new();
    let mut columns: Option<(usize, usize)> = None;
    let mut is_in_table = false;
    for (index, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix('|') else {
            is_in_table = false;
            continue;
        };
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').map(str::trim).collect();
        if !is_in_table {
            is_in_table = true;
            let column = |name: &str| cells.iter().position(|cell| *cell == name);
            columns = column("test").zip(column("file"));
            continue;
        }
        let Some((test, file)) = columns else { continue };
        let spans = |column: usize| code_spans(cells.get(column).copied().unwrap_or_default());
        if let Some(file) = spans(file).first() {
            let tests = spans(test).into_iter().map(str::to_owned).collect();
            found.push(TestRow { tests, file: (*file).to_owned(), line: index + 1 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn missing_tests_and_files_are_found() {
        let table = "# R\n| defect | test | file |\n|---|---|---|\n\
                     | a | `kept`, `lost` | `a/tests/it/main.rs` |\n\
                     | b | `deep` | `a/tests/it/deep/mod.rs` |\n\
                     | c | `kept` | `a/tests/it/gone.rs` |\n";
        let tree = Fixture::new("named-tests")
            .file("docs/R.md", table)
            .file("a/tests/it/main.rs", "//! T.\n#[test]\nfn kept() {}\n")
            .file("a/tests/it/deep/mod.rs", "//! D.\n")
            .open();
        let expected = [
            "docs/R.md:4: named-tests: `a/tests/it/main.rs` has no test `lost`",
            "docs/R.md:6: named-tests: `a/tests/it/gone.rs` does not exist",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
