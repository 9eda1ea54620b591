//! The contract of all stores.

use std::sync::atomic::{AtomicU32, Ordering};

use planisphere_storage_postgres::{PostgresLocation, PostgresStore};

use crate::database::{TestDatabase, small};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_postgres_store_keeps_the_contract() {
    let Some(database) = TestDatabase::create("the_postgres_store_keeps_the_contract").await else {
        return;
    };
    let schemas = AtomicU32::new(0);
    storage::contract::run(async || {
        let schema = schemas.fetch_add(1, Ordering::Relaxed);
        let url = format!("{}?schema=case{schema}", database.url());
        PostgresStore::open(&PostgresLocation::parse(&url).unwrap(), small()).await.unwrap()
    })
    .await;
}
