//! A folder with a source, and the words of a copy.

use std::path::{Path, PathBuf};

use crate::planisphere::{Said, planisphere};

pub(crate) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    /// With this many orders of `shop/orders`, partitioned by `/customer`.
    pub(crate) fn with(orders: usize) -> Self {
        let ground = Self { folder: tempfile::tempdir().unwrap() };
        let key = r#"{"paths":["/customer"],"kind":"Hash","version":2}"#;
        let mut lines = format!(
            "{{\"planisphereExport\":1,\"container\":{{\"id\":\"o\",\"partitionKey\":{key}}}}}\n"
        );
        for number in 0..orders {
            let (customer, day) = (number % 11, number % 28 + 1);
            lines += &format!(r#"{{"id":"o{number}","customer":"c{customer}","n":{number},"#);
            lines += &format!("\"at\":\"2026-01-{day:02}T10:00\"}}\n");
        }
        ground.import("orders", &lines);
        ground
    }

    /// Puts more items into a container.
    pub(crate) fn import(&self, container: &str, lines: &str) {
        let file = self.path("in.jsonl");
        std::fs::write(&file, lines).unwrap();
        let words = ["import", "--database", "shop", "--container", container, "--data"];
        let tail = [self.data(), "--file".to_owned(), file.to_str().unwrap().to_owned()];
        planisphere(words.into_iter().map(ToOwned::to_owned).chain(tail)).succeeded();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of the store.
    pub(crate) fn data(&self) -> String {
        self.path("data").to_str().unwrap().to_owned()
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.path("checkpoint.json")
    }

    /// The words of a copy from `shop/orders` of the folder, with its checkpoint in the folder too.
    pub(crate) fn words(&self, rest: &[&str]) -> Vec<String> {
        let checkpoint = self.checkpoint();
        let data = self.data();
        let first = ["copy", "--from-data", &data, "--from", "shop/orders"];
        let kept = ["--checkpoint", checkpoint.to_str().unwrap()];
        first.iter().chain(&kept).chain(rest).map(|word| (*word).to_owned()).collect()
    }

    pub(crate) fn copy(&self, rest: &[&str]) -> Said {
        planisphere(self.words(rest))
    }
}

/// How many items a container of a folder holds, and the sum of their numbers.
pub(crate) fn sum(data: &Path, container: &str) -> (u64, u64) {
    let ask = |text: &str| {
        let data = data.to_str().unwrap();
        let words = ["query", "--data", data, "--database", "shop", "--container", container, text];
        let said = planisphere(words).succeeded();
        said.out.trim().parse::<u64>().unwrap()
    };
    (ask("SELECT VALUE COUNT(1) FROM c"), ask("SELECT VALUE SUM(c.n) FROM c"))
}
