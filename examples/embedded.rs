//! A database inside a program: an account in a folder, from the first write to reopening it.
//!
//! Run it with `cargo run --release --example embedded`, or give it a folder to keep:
//! `cargo run --release --example embedded -- my-folder`. It prints what it does, line by line, and checks the
//! results. Read it from top to bottom; the comments explain each step.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::operation::{
    BatchOperation, CreateContainer, CreateDatabase, CreateItem, ReadItem, ReadOptions,
    ReplaceItem, TransactionalBatch, WriteOptions,
};
use engine::response::{BatchResult, ReadResult};
use engine::{
    ContainerLink, Engine, EngineSettings, Environment, ErrorKind, ItemResource, SPACES,
    TravellingClock,
};
use model::{
    ContainerProperties, DatabaseProperties, EtagPattern, FeedRange, ItemId, Json, PartitionKey,
    PartitionKeyDefinition, Precondition, TimeToLive, TimestampMs,
};
use storage_lsm::LsmStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without an argument, use a temporary folder that is removed afterwards.
    let temporary = tempfile::tempdir()?;
    let folder =
        std::env::args_os().nth(1).map_or_else(|| temporary.path().join("account"), PathBuf::from);

    // Use a clock that we control. A server would use `Environment::system()` instead.
    let clock = TravellingClock::starting_at(TimestampMs(1_800_000_000_000));

    let engine = open(&folder, &clock).await?;
    let orders = create(&engine).await?;
    let etag = write(&engine, &orders).await?;
    replace_with_etag(&engine, &orders, &etag).await?;
    write_together(&engine, &orders).await?;
    follow_changes(&engine, &orders).await?;
    expire(&engine, &orders, &clock).await?;
    engine.close().await?;
    say("closed the store");

    open_again(&folder, &clock, &orders).await?;
    say("everything worked as expected");
    Ok(())
}

/// A store is a folder; an engine is an account on a store. If the folder is missing, a new, empty account is created.
async fn open(folder: &Path, clock: &Arc<TravellingClock>) -> Result<Engine, Box<dyn Error>> {
    let store = LsmStore::open(folder, SPACES, storage_lsm::LsmSettings::default())?;
    let environment = Environment::simulated(Arc::clone(clock), 1);
    let engine = Engine::open(store, environment, EngineSettings::default()).await?;
    say(&format!("opened the store in {}", folder.display()));
    Ok(engine)
}

/// A database contains containers; a container defines how its items are partitioned and how long they live.
async fn create(engine: &Engine) -> Result<ContainerLink, Box<dyn Error>> {
    let orders = ContainerLink::new("shop", "orders")?;

    // A folder that is kept still has the database of the previous run: start over.
    match engine.delete_database(&orders.database).await {
        Ok(_) => say("deleted the database of the previous run"),
        Err(error) if error.kind() == ErrorKind::OwnerNotFound => {}
        Err(error) => return Err(error.into()),
    }
    let properties = DatabaseProperties { id: orders.database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await?;

    // A hierarchical partition key: all orders of one user are together, and all users of one tenant are near each
    // other. One logical partition, here a tenant and a user, is the scope of a transaction.
    let key = PartitionKeyDefinition::hierarchical(&["/tenantId", "/userId"])?;
    let mut properties = ContainerProperties::new(orders.container.clone(), key);

    // Time to live is on, without a default: an item expires only if it says so itself.
    properties.default_time_to_live = TimeToLive::NoDefault;
    let database = orders.database.clone();
    engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    say(&format!("created the container {orders}, partitioned by /tenantId and /userId"));
    Ok(orders)
}

/// Items are JSON. The response contains the item as stored, its etag and the charge.
async fn write(engine: &Engine, orders: &ContainerLink) -> Result<String, Box<dyn Error>> {
    let item = json(r#"{"id":"order-1","tenantId":"acme","userId":"ann","total":9.5}"#)?;
    let create = CreateItem {
        container: orders.clone(),
        partition_key: None, // Taken from the item.
        item: item.into(),
        options: WriteOptions::default(),
    };
    let created = engine.create_item(create.clone()).await?;
    say(&format!("created order-1 for {} request units", created.charge));

    // The same id in the same logical partition is a conflict.
    let refused = engine.create_item(create).await;
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::Conflict));
    say("creating it again is a conflict");

    // An etag identifies this state of the item. A client that has it need not read the item again while it is
    // unchanged: over HTTP this is a 304.
    let etag = created.value.etag().to_string();
    let unchanged = Precondition::IfNoneMatch(EtagPattern::parse(&etag));
    let options = ReadOptions { precondition: Some(unchanged), ..ReadOptions::default() };
    let answer = engine.read_item(read("ann", "order-1", orders, options)?).await?.value;
    assert!(matches!(answer, ReadResult::NotModified(_)));
    say("reading it with its etag: not modified");
    Ok(etag)
}

/// The etag makes a replace safe: it is rejected if the item was changed in between.
async fn replace_with_etag(
    engine: &Engine,
    orders: &ContainerLink,
    etag: &str,
) -> Result<(), Box<dyn Error>> {
    let replace = |total: &str| -> Result<ReplaceItem, Box<dyn Error>> {
        let text =
            format!(r#"{{"id":"order-1","tenantId":"acme","userId":"ann","total":{total}}}"#);
        let unchanged = Precondition::IfMatch(EtagPattern::parse(etag));
        Ok(ReplaceItem {
            container: orders.clone(),
            partition_key: None,
            id: ItemId::new("order-1")?,
            item: json(&text)?.into(),
            options: WriteOptions { precondition: Some(unchanged), ..WriteOptions::default() },
        })
    };
    let replaced = engine.replace_item(replace("10.5")?).await?.value;
    assert_ne!(replaced.etag().to_string(), etag);
    say("replaced it with If-Match on its etag");

    // The etag is stale now, so a second replace with it fails.
    let refused = engine.replace_item(replace("99")?).await;
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::PreconditionFailed));
    let item = found(engine, "ann", "order-1", orders).await?;
    assert_eq!(item.to_json().get("total"), json("10.5").ok().as_ref());
    say("a replace with the stale etag was refused and changed nothing");
    Ok(())
}

/// A transactional batch is all or nothing, inside one logical partition.
async fn write_together(engine: &Engine, orders: &ContainerLink) -> Result<(), Box<dyn Error>> {
    let create = |id: &str| -> Result<BatchOperation, Box<dyn Error>> {
        let text = format!(r#"{{"id":"{id}","tenantId":"acme","userId":"bob","total":1}}"#);
        Ok(BatchOperation::Create { item: json(&text)?.into(), options: WriteOptions::default() })
    };
    let batch = |operations| TransactionalBatch {
        container: orders.clone(),
        partition_key: user("bob"),
        operations,
    };
    let outcome = engine.transactional_batch(batch(vec![create("a")?, create("b")?])).await?;
    assert!(matches!(outcome.value, BatchResult::Committed(answers) if answers.len() == 2));
    say("a batch created two orders of bob");

    // The second operation fails, so the first one is rolled back.
    let outcome = engine.transactional_batch(batch(vec![create("c")?, create("a")?])).await?;
    assert!(matches!(outcome.value, BatchResult::RolledBack { failed: 1, .. }));
    assert!(found(engine, "bob", "c", orders).await.is_err());
    say("a batch with a conflict was rolled back as a whole");
    Ok(())
}

/// The change feed returns the latest version of every changed item, page by page. With the continuation token a reader
/// continues later, or in another process.
async fn follow_changes(engine: &Engine, orders: &ContainerLink) -> Result<(), Box<dyn Error>> {
    let mut start = ChangeFeedStart::Beginning;
    let mut ids = Vec::new();
    loop {
        let read = ReadChangeFeed {
            container: orders.clone(),
            feed_range: FeedRange::Container,
            mode: ChangeFeedMode::LatestVersion,
            start,
            // At most one, but a transaction is never split: the two orders of bob come together.
            items_max: Some(1),
        };
        let page = engine.read_change_feed(read).await?.value;
        if page.changes.is_empty() {
            break;
        }
        let names: Vec<String> = page.changes.iter().map(|change| change.id().to_owned()).collect();
        say(&format!("a page of the change feed: {}", names.join(", ")));
        ids.extend(names);
        start = ChangeFeedStart::Continuation(page.continuation);
    }
    // Order-1 was created and replaced; it appears once, in its latest version.
    assert_eq!(ids, ["order-1", "a", "b"]);
    Ok(())
}

/// An expired item disappears at once, without any background work. Its space is reclaimed later.
async fn expire(
    engine: &Engine,
    orders: &ContainerLink,
    clock: &TravellingClock,
) -> Result<(), Box<dyn Error>> {
    let text = r#"{"id":"basket","tenantId":"acme","userId":"ann","ttl":3600}"#;
    let create = CreateItem {
        container: orders.clone(),
        partition_key: Some(user("ann")),
        item: json(text)?.into(),
        options: WriteOptions::default(),
    };
    engine.create_item(create).await?;
    assert!(found(engine, "ann", "basket", orders).await.is_ok());
    say("created a basket that lives for an hour");

    clock.travel(Duration::from_secs(3601));
    assert!(found(engine, "ann", "basket", orders).await.is_err());
    say("an hour later the basket is gone");
    Ok(())
}

/// Acknowledged writes are always on disk; closing only makes the next opening faster.
async fn open_again(
    folder: &Path,
    clock: &Arc<TravellingClock>,
    orders: &ContainerLink,
) -> Result<(), Box<dyn Error>> {
    let engine = open(folder, clock).await?;
    for (name, id) in [("ann", "order-1"), ("bob", "a"), ("bob", "b")] {
        let item = found(&engine, name, id, orders).await?;
        say(&format!("still there: {}", String::from_utf8_lossy(item.text())));
    }
    assert!(found(&engine, "ann", "basket", orders).await.is_err());

    // Verify reads the whole store and compares items, index, unique keys and change feed with each other.
    let report = engine.verify(&mut |_| {}).await?;
    assert!(report.is_consistent(), "{:?}", report.findings);
    say("verified: the store is consistent");
    engine.close().await?;
    Ok(())
}

// Helpers.

fn say(line: &str) {
    // Ignore a closed pipe.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn json(text: &str) -> Result<Json, Box<dyn Error>> {
    Ok(Json::parse(text.as_bytes())?)
}

fn user(name: &str) -> PartitionKey {
    PartitionKey::from_values(["acme".into(), name.into()])
}

fn read(
    name: &str,
    id: &str,
    orders: &ContainerLink,
    options: ReadOptions,
) -> Result<ReadItem, Box<dyn Error>> {
    let container = orders.clone();
    Ok(ReadItem { container, partition_key: user(name), id: ItemId::new(id)?, options })
}

async fn found(
    engine: &Engine,
    name: &str,
    id: &str,
    orders: &ContainerLink,
) -> Result<ItemResource, Box<dyn Error>> {
    let answer = engine.read_item(read(name, id, orders, ReadOptions::default())?).await?.value;
    Ok(answer.item().ok_or("not modified")?)
}
