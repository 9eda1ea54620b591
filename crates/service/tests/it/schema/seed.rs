//! The Terraform block of seed 003, exactly as it is printed there.

use client::{Account, StorageLocation};
use service::schema::{ReadOptions, Schema};

use super::ground::read;

const SEED: &str = include_str!("seed_003.tf");

const CREATED: &str = "\
+ database db
+ container db/notification_events: partition key /userId, default_ttl 2592000 s (30 days), 400 RU/s
+ container db/notifications: partition key /userId, default_ttl 2592000 s (30 days), 400 RU/s
+ container db/notification_preferences: partition key /userId, 400 RU/s
+ container db/device_tokens: partition key /userId, 400 RU/s

5 to create, 0 to change, 0 as declared.";

#[tokio::test]
async fn the_seed_is_applied_to_a_folder_and_stays_the_same() {
    let reading = read("main.tf", SEED, &ReadOptions::default()).unwrap();
    assert!(reading.ignored.is_empty(), "{:?}", reading.ignored);
    let notes: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["azurerm_cosmosdb_sql_database.db is not in these files; its name is taken to be 'db' \
             (say another with --database)"]
    );
    let folder = tempfile::tempdir().unwrap();
    let account = Account::embedded(folder.path()).await.unwrap();
    let plan = reading.schema.apply(&account).await.unwrap();
    assert_eq!(plan.to_string(), CREATED);
    assert!(reading.schema.apply(&account).await.unwrap().is_same());
    account.close().await.unwrap();
    drop(account);

    let account = Account::embedded(folder.path()).await.unwrap();
    let plan = reading.schema.plan(&account).await.unwrap();
    assert_eq!(plan.to_string(), "Nothing to do: 5 as declared.");
    let events = account.database("db").unwrap().container("notification_events").unwrap();
    let properties = events.read_properties().await.unwrap().value;
    assert_eq!(properties.default_time_to_live, client::TimeToLive::Seconds(2_592_000));
    assert_eq!(properties.indexing_policy, model::IndexingPolicy::default());
    assert_eq!(
        events.read_throughput().await.unwrap().value,
        Some(client::Throughput::manual(400).unwrap())
    );
}

#[tokio::test]
async fn a_database_that_is_not_in_the_files_gets_the_name_that_is_given() {
    let options = ReadOptions { database: Some("asora".to_owned()), ..ReadOptions::default() };
    let schema: Schema = read("main.tf", SEED, &options).unwrap().schema;
    assert_eq!(schema.databases().len(), 1);
    assert_eq!(schema.databases()[0].id().as_str(), "asora");
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    schema.apply(&account).await.unwrap();
    assert!(account.database("asora").unwrap().read().await.is_ok());
}
