//! A folder, files in it, and the words of an import.

use std::path::PathBuf;

use crate::planisphere::{Said, planisphere};

pub(crate) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.text(name)
    }

    /// A command on the container `shop/items` of the folder.
    pub(crate) fn run(&self, command: &str, words: &[&str]) -> Said {
        let data = self.text("data");
        let first = [command, "--data", &data, "--database", "shop", "--container", "items"];
        planisphere(first.iter().chain(words).copied())
    }

    /// Imports a text under this name, into a container by `/kind`.
    pub(crate) fn import(&self, name: &str, text: &str, words: &[&str]) -> Said {
        let file = self.write(name, text);
        let first = ["--file", &file, "--partition-key", "/kind"];
        self.run("import", &[&first[..], words].concat())
    }

    /// The rows of a query, one per line.
    pub(crate) fn ask(&self, query: &str) -> Vec<String> {
        let said = self.run("query", &["--format", "jsonl", query]).succeeded();
        said.out.lines().map(ToOwned::to_owned).collect()
    }
}
