//! A world on a database of its own.

use std::sync::Arc;

use client::Environment;
use event_store::{
    MemoryPayloads, PostgresOptions, PostgresSchema, PostgresStorage, StorageBundle,
};

use super::TestDatabase;
use super::proxy::WireProxy;
use crate::world::{World, clock};

/// A world on a database of its own; `None`, said by the name of the test, where there is no PostgreSQL.
pub(crate) async fn world(test: &str) -> Option<World> {
    let database = TestDatabase::create(test).await?;
    let clock = clock();
    let environment = Environment::simulated(Arc::clone(&clock), 7);
    let options = PostgresOptions::new(database.address());
    PostgresSchema::new(&options).unwrap().migrate().await.unwrap();
    let storage = open(&options, &environment).await;
    Some(World::on_database(clock, storage, database))
}

/// The same, behind a proxy that a test can use against the provider.
pub(super) async fn world_behind_proxy(test: &str) -> Option<(World, WireProxy)> {
    let database = TestDatabase::create(test).await?;
    let clock = clock();
    let environment = Environment::simulated(Arc::clone(&clock), 7);
    let direct = PostgresOptions::new(database.address());
    PostgresSchema::new(&direct).unwrap().migrate().await.unwrap();
    let proxy = WireProxy::start(database.socket());
    let options = PostgresOptions::new(database.address_at(&proxy.folder(), "postgres"));
    let storage = open(&options, &environment).await;
    Some((World::on_database(clock, storage, database), proxy))
}

pub(super) async fn open(options: &PostgresOptions, environment: &Environment) -> StorageBundle {
    let payloads = Arc::new(MemoryPayloads::default());
    PostgresStorage::open(options, environment, payloads).await.unwrap()
}
