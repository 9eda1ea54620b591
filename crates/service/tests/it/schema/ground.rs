//! Accounts in memory on a clock that travels, and files in folders that go away.

use std::path::{Path, PathBuf};

use client::{Account, Environment, StorageLocation, TravellingClock};
use model::TimestampMs;
use serde_json::json;
use service::schema::{ReadOptions, Reading, Schema};

/// An account, as it is seen some time after everything in it was written.
pub(super) struct Ground {
    pub(super) account: Account,
}

impl Ground {
    pub(super) async fn new() -> Self {
        Self { account: Account::embedded(StorageLocation::Memory).await.unwrap() }
    }

    /// The same account, for whom it is later than for its items.
    pub(super) fn later(&self, seconds: u64) -> Self {
        let now = self.account.environment().now().0;
        let clock = TravellingClock::starting_at(TimestampMs(now + seconds * 1000));
        Self { account: self.account.with_environment(Environment::simulated(clock, 7)) }
    }

    pub(super) async fn with(schema: &str) -> Self {
        let ground = Self::new().await;
        toml(schema).apply(&ground.account).await.unwrap();
        ground
    }

    /// What a schema in our own form would do here.
    pub(super) async fn check(&self, schema: &str, expected: &str) {
        let plan = toml(schema).plan(&self.account).await.unwrap();
        assert_eq!(plan.text("--from-data ./shop"), expected.trim_matches('\n'));
    }

    /// Puts an item with this id, and this time to live of its own, into shop/orders.
    pub(super) async fn put(&self, id: &str, ttl: Option<i64>) {
        let orders = self.account.database("shop").unwrap().container("orders").unwrap();
        let mut item = json!({"id": id, "customer": "ann"});
        if let Some(ttl) = ttl {
            item["ttl"] = json!(ttl);
        }
        orders.upsert(&"ann".into(), &item, None).await.unwrap();
    }
}

pub(super) fn toml(text: &str) -> Schema {
    Schema::from_toml("shop.toml", text).unwrap()
}

/// A folder with files.
pub(super) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Reads a file of this name and text.
pub(super) fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, String> {
    let folder = folder(&[(name, text)]);
    told(Schema::from_path(&folder.path().join(name), options), folder.path())
}

/// What was read, or the mistakes without the name of the folder.
pub(super) fn told(
    reading: Result<Reading, service::schema::Mistakes>,
    folder: &Path,
) -> Result<Reading, String> {
    let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    reading.map_err(|mistakes| mistakes.to_string().replace(&prefix, ""))
}

pub(super) fn path(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}
