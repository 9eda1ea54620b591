//! A program whose account may be in memory, in a folder or at an endpoint: one argument decides.
//!
//! Run it with `cargo run --release --example client` for an account in memory, or
//! `cargo run --release --example client -- my-folder` for one on disk. It prints what it does and checks the
//! results.

use std::error::Error;
use std::io::Write;

use client::{
    Account, Container, ErrorKind, ItemBatch, PartitionKey, PartitionKeyDefinition, Query,
};
use serde::{Deserialize, Serialize};

/// An item is any serde type with a string `id`; names in the type are the stored names.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    id: String,
    customer: String,
    total: i64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let location = std::env::args().nth(1).unwrap_or_else(|| "memory".to_owned());
    let account = Account::open(&location).await?;
    let orders = orders(&account).await?;
    let ann = PartitionKey::from("ann");
    // A second run on a folder finds the items of the first.
    orders.delete_partition(&ann).await?;
    write(&orders, &ann).await?;
    modify(&orders, &ann).await?;
    ask(&account, &orders, &ann).await?;
    account.close().await?;
    say("everything worked as expected");
    Ok(())
}

/// Creates the database and the container if they do not exist.
async fn orders(account: &Account) -> Result<Container, Box<dyn Error>> {
    let database = account.database("shop")?;
    database.create_if_missing(None).await?;
    let orders = database.container("orders")?;
    let key = PartitionKeyDefinition::single("/customer")?;
    orders.create_if_missing(orders.properties(key), None).await?;
    Ok(orders)
}

/// Every call has a partition key, and every response its charge.
async fn write(orders: &Container, ann: &PartitionKey) -> Result<(), Box<dyn Error>> {
    let order = |id: &str, total| Order { id: id.to_owned(), customer: "ann".to_owned(), total };
    let created = orders.create(ann, &order("1", 9)).await?;
    say(&format!("created order 1 for {:.2} request units", created.charge));
    let again = orders.create(ann, &order("1", 10)).await.err();
    assert_eq!(again.map(|error| error.kind()), Some(ErrorKind::Conflict));
    // All or nothing.
    let batch = ItemBatch::new().create(&order("2", 5))?.create(&order("3", 7))?;
    orders.batch(ann, batch).await?;
    say("a batch created two more");
    Ok(())
}

/// Reads, changes and writes an item unless it was changed in between. Properties unknown to the type are kept.
async fn modify(orders: &Container, ann: &PartitionKey) -> Result<(), Box<dyn Error>> {
    let richer = serde_json::json!({ "id": "1", "customer": "ann", "total": 9, "gift": true });
    orders.upsert(ann, &richer, None).await?;
    let add = |order: &mut Order| {
        order.total += 1;
        Ok::<(), client::Error>(())
    };
    let modified = orders.modify(ann, "1", add).await?;
    assert_eq!(modified.value.value.total, 10);
    let stored = orders.read::<serde_json::Value>(ann, "1").await?.value.value;
    assert_eq!(stored.get("gift"), Some(&serde_json::Value::Bool(true)));
    say("modified order 1; its gift mark, which the type does not know, is still there");
    Ok(())
}

/// A query without a partition key needs a reason, which is logged and counted.
async fn ask(
    account: &Account,
    orders: &Container,
    ann: &PartitionKey,
) -> Result<(), Box<dyn Error>> {
    let text = Query::text("SELECT * FROM c WHERE c.total >= @least ORDER BY c.total");
    let text = text.parameter("@least", 7);
    let rows = orders.query::<Order>(&text.clone().within(ann.clone())).await?;
    let ids: Vec<_> = rows.value.iter().map(|order| order.id.as_str()).collect();
    assert_eq!(ids, ["3", "1"]);
    let everywhere = text.fan_out("the example shows a query over all customers");
    assert_eq!(orders.query::<Order>(&everywhere).await?.value.len(), 2);
    assert_eq!(account.fan_outs(), 1);
    say("asked within one partition key, and once everywhere");
    Ok(())
}

fn say(line: &str) {
    // Ignore a closed pipe.
    let _ = writeln!(std::io::stdout(), "{line}");
}
