//! The minimum throughput: lower values are rejected with the numbers that explain it.

use engine::ErrorKind;
use engine::operation::{CreateContainer, CreateDatabase, ThroughputOwner};
use model::{DatabaseId, DatabaseProperties, Throughput};

use crate::account::{Account, plain};
use crate::verbs::refused;

#[tokio::test]
async fn a_hundredth_of_the_highest_there_ever_was_is_the_least() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::Manual(60_000))).await;
    let owner = ThroughputOwner::Container(link);
    let read = account.engine.read_throughput(&owner).await.unwrap().value.unwrap();
    assert_eq!((read.highest_ever, read.least), (60_000, 600));
    let text = refused(
        account.engine.replace_throughput(&owner, Throughput::Manual(500)).await,
        ErrorKind::Invalid,
    );
    let words = "valid throughput values between 600 and 1000000 inclusive in increments of 100";
    assert!(text.contains(words), "{text}");
    account.engine.replace_throughput(&owner, Throughput::Manual(600)).await.unwrap();
    let autoscale = |maximum| Throughput::autoscale(maximum).unwrap();
    let text = refused(
        account.engine.replace_throughput(&owner, autoscale(5000)).await,
        ErrorKind::Invalid,
    );
    let words = "Requested throughput 5000 is less than required minimum throughput 6000";
    assert!(text.contains(words), "{text}");
    let replaced = account.engine.replace_throughput(&owner, autoscale(6000)).await.unwrap().value;
    assert_eq!((replaced.highest_ever, replaced.least), (60_000, 6000));
}

#[tokio::test]
async fn many_containers_raise_the_least_that_they_share() {
    let account = Account::new().await;
    let database = DatabaseId::new("shared").unwrap();
    let create = CreateDatabase {
        properties: DatabaseProperties { id: database.clone() },
        throughput: Some(Throughput::Manual(1000)),
    };
    account.engine.create_database(create).await.unwrap();
    for number in 0..27 {
        let properties = plain(&format!("c{number}"));
        let create = CreateContainer { database: database.clone(), properties, throughput: None };
        account.engine.create_container(create).await.unwrap();
    }
    let owner = ThroughputOwner::Database(database);
    let replace =
        |per_second| account.engine.replace_throughput(&owner, Throughput::Manual(per_second));
    let text = refused(replace(500).await, ErrorKind::Invalid);
    assert!(text.contains("between 600 and"), "{text}");
    assert_eq!(replace(600).await.unwrap().value.least, 600);
}
