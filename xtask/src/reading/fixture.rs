//! Temporary repositories for the tests of the checks.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;

use crate::finding::TidyReport;
use crate::reading::Tree;

/// Files to write before opening them as a [`Tree`].
pub(crate) struct Fixture {
    root: PathBuf,
}

/// A temporary repository; dropping it deletes its folder.
pub(crate) struct FixtureTree {
    tree: Tree,
}

impl Fixture {
    /// A new empty folder. `name` is unique among all tests of this package.
    pub(crate) fn new(name: &str) -> Self {
        let folder = format!("planisphere-tidy-{}-{name}", std::process::id());
        let root = std::env::temp_dir().join(folder);
        fs::create_dir_all(&root).expect("the temporary folder is writable");
        Self { root }
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let full = self.root.join(path);
        let parent = full.parent().expect("a file is in a folder");
        fs::create_dir_all(parent).expect("the temporary folder is writable");
        fs::write(full, text).expect("the temporary folder is writable");
        self
    }

    pub(crate) fn open(self) -> FixtureTree {
        FixtureTree { tree: Tree::open(&self.root) }
    }
}

impl Deref for FixtureTree {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl Drop for FixtureTree {
    fn drop(&mut self) {
        // Left-over files in the temporary folder harm nobody.
        let _ = fs::remove_dir_all(self.tree.root());
    }
}

/// Runs one check on a temporary repository and returns its findings as `path:line: rule: what`.
pub(crate) fn found(tree: &Tree, check: fn(&Tree, &mut TidyReport)) -> Vec<String> {
    let mut report = TidyReport::default();
    check(tree, &mut report);
    let print = |finding: &crate::finding::TidyFinding| {
        format!("{}:{}: {}: {}", finding.path, finding.line, finding.rule, finding.message.what)
    };
    report.findings.iter().map(print).collect()
}

/// Runs one check on the workspace and fails with its findings.
pub(crate) fn assert_workspace_is_clean(check: fn(&Tree, &mut TidyReport)) {
    let mut report = TidyReport::default();
    check(&Tree::workspace(), &mut report);
    for note in &report.skipped {
        println!("skipped: {note}");
    }
    let lines: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}
