//! The corpus: the queries and items of all cases.

use std::path::Path;

/// Query texts and item texts.
pub(super) struct Corpus {
    pub(super) queries: Vec<String>,
    pub(super) items: Vec<String>,
}

impl Corpus {
    pub(super) fn read() -> Self {
        let mut corpus = Self { queries: Vec::new(), items: Vec::new() };
        corpus.folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
        assert!(corpus.queries.len() > 1_000, "the cases are the corpus");
        corpus
    }

    fn folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).expect("the folder of cases exists");
        let paths = entries.map(|entry| entry.expect("the folder is readable").path());
        // Sorted by name, so that a seed means the same everywhere.
        let mut paths: Vec<_> = paths.collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.folder(&path);
            } else {
                let text = std::fs::read_to_string(&path).expect("a case file is readable");
                text.split("\n--- ").skip(1).for_each(|section| self.section(section));
            }
        }
    }

    fn section(&mut self, section: &str) {
        let Some((name, body)) = section.split_once('\n') else { return };
        let body = body.split("\n=== ").next().unwrap_or_default().trim_end();
        match name.trim() {
            "query" => self.queries.push(body.to_owned()),
            "items" => self.items.extend(body.lines().map(str::to_owned)),
            "values" => {
                let expressions = body.lines().filter_map(|line| line.split_once(" => "));
                let queries =
                    expressions.map(|(expression, _)| format!("SELECT VALUE {expression}"));
                self.queries.extend(queries);
            }
            _ => {}
        }
    }
}
