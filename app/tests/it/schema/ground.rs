//! Files of schemas and commands on them.

use std::path::{Path, PathBuf};

use crate::planisphere::{Said, planisphere};

/// The Terraform block of seed 003, exactly as it is printed there.
pub(super) const SEED: &str =
    include_str!("../../../../crates/service/tests/it/schema/seed_003.tf");

pub(super) const SHOP: &str = r#"
[database.shop.container.orders]
partition_key = "/customer"
throughput = 400
"#;

/// A folder with files and a place.
pub(super) struct Ground {
    folder: tempfile::TempDir,
    /// The flags of the place.
    place: Vec<String>,
}

impl Ground {
    /// With a folder of data that does not exist yet.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data").to_str().unwrap().to_owned();
        Self { folder, place: vec!["--data".to_owned(), data] }
    }

    pub(super) fn behind(endpoint: &str) -> Self {
        let place = vec!["--endpoint".to_owned(), endpoint.to_owned()];
        Self { folder: tempfile::tempdir().unwrap(), place }
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A subcommand on a file and the place.
    pub(super) fn run(&self, subcommand: &str, file: &str, more: &[&str]) -> Said {
        let words = ["schema", subcommand, file].into_iter();
        planisphere(words.chain(self.place.iter().map(String::as_str)).chain(more.iter().copied()))
    }

    /// The place in a form, as a file.
    pub(super) fn export(&self, form: &str, name: &str) -> String {
        let path = self.folder.path().join(name).to_str().unwrap().to_owned();
        let words = ["schema", "export", "--to", form, "--out", &path].into_iter();
        planisphere(words.chain(self.place.iter().map(String::as_str))).succeeded();
        assert!(Path::new(&path).exists());
        path
    }
}
