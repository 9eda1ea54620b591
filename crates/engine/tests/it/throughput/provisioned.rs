//! Throughput: whose it is, how it is replaced, how many physical partitions follow from it.

use engine::operation::{CreateContainer, CreateDatabase, ThroughputOwner};
use engine::{ContainerLink, ErrorKind};
use model::{DatabaseId, DatabaseProperties, Throughput};

use crate::account::{Account, plain};
use crate::verbs::refused;

async fn partitions(account: &Account, link: &ContainerLink) -> usize {
    account.engine.list_partitions(link).await.unwrap().value.partitions.len()
}

#[tokio::test]
async fn the_number_of_physical_partitions_follows_the_throughput() {
    let account = Account::new().await;
    let manual = |per_second| Some(Throughput::manual(per_second).unwrap());
    let autoscale = |maximum| Some(Throughput::autoscale(maximum).unwrap());
    let table = [
        (None, 1),
        (manual(400), 1),
        (manual(6000), 1),
        (manual(6100), 2),
        (manual(12_000), 2),
        (manual(30_000), 5),
        (autoscale(4000), 1),
        (autoscale(12_000), 2),
    ];
    for (number, (throughput, expected)) in table.into_iter().enumerate() {
        let link = account.container_with(plain(&format!("c{number}")), throughput).await;
        assert_eq!(partitions(&account, &link).await, expected, "{throughput:?}");
    }
}

#[tokio::test]
async fn ranges_are_contiguous_and_cover_the_whole_container() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::Manual(30_000))).await;
    let listed = account.engine.list_partitions(&link).await.unwrap().value;
    let numbers: Vec<_> = listed.partitions.iter().map(|each| each.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    assert_eq!(listed.partitions[0].range.min.to_string(), "");
    assert_eq!(listed.partitions[4].range.max.to_string(), "FF");
    for pair in listed.partitions.windows(2) {
        assert_eq!(pair[0].range.max, pair[1].range.min);
        assert!(pair[0].parents.is_empty());
    }
    let fractions: f64 = listed.partitions.iter().map(|each| each.throughput_fraction).sum();
    assert!((fractions - 1.0).abs() < 1e-9);
}

#[tokio::test]
async fn dedicated_throughput_is_read_and_replaced_and_remembers_its_highest() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let owner = ThroughputOwner::Container(link.clone());
    let read = account.engine.read_throughput(&owner).await.unwrap().value.unwrap();
    assert_eq!((read.throughput, read.highest_ever), (Throughput::Manual(400), 400));
    let autoscale = Throughput::autoscale(10_000).unwrap();
    let replaced = account.engine.replace_throughput(&owner, autoscale).await.unwrap().value;
    assert_eq!((replaced.throughput, replaced.highest_ever), (autoscale, 10_000));
    let back = account.engine.replace_throughput(&owner, Throughput::Manual(500)).await.unwrap();
    assert_eq!((back.value.throughput, back.value.highest_ever), (Throughput::Manual(500), 10_000));
    assert_eq!(back.value.owner, account.resource(&link).await.rid);
    assert_eq!(partitions(&account, &link).await, 1, "a replace moves no data");
    let account = account.reopened().await;
    let read = account.engine.read_throughput(&owner).await.unwrap().value.unwrap();
    assert_eq!(read, back.value);
}

#[tokio::test]
async fn containers_share_the_throughput_of_their_database() {
    let account = Account::new().await;
    let database = DatabaseId::new("shared").unwrap();
    let create = CreateDatabase {
        properties: DatabaseProperties { id: database.clone() },
        throughput: Some(Throughput::Manual(12_000)),
    };
    account.engine.create_database(create).await.unwrap();
    let create = |id: &str, throughput| CreateContainer {
        database: database.clone(),
        properties: plain(id),
        throughput,
    };
    account.engine.create_container(create("shares", None)).await.unwrap();
    let own = Some(Throughput::Manual(400));
    account.engine.create_container(create("owns", own)).await.unwrap();
    let owner = |id| ThroughputOwner::Container(ContainerLink::new("shared", id).unwrap());
    assert_eq!(account.engine.read_throughput(&owner("shares")).await.unwrap().value, None);
    assert!(account.engine.read_throughput(&owner("owns")).await.unwrap().value.is_some());
    let text = refused(
        account.engine.replace_throughput(&owner("shares"), Throughput::Manual(500)).await,
        ErrorKind::NotFound,
    );
    assert!(text.contains("shares the throughput of its database"), "{text}");
    let whole = ThroughputOwner::Database(database);
    account.engine.replace_throughput(&whole, Throughput::Manual(500)).await.unwrap();
    let account = account.reopened().await;
    let read = account.engine.read_throughput(&whole).await.unwrap().value.unwrap();
    assert_eq!((read.throughput, read.highest_ever), (Throughput::Manual(500), 12_000));
}

#[tokio::test]
async fn without_owner_there_is_no_throughput() {
    let account = Account::new().await;
    let database = account.database("d").await;
    let missing = ThroughputOwner::Container(ContainerLink::new("d", "none").unwrap());
    refused(account.engine.read_throughput(&missing).await, ErrorKind::OwnerNotFound);
    let none = ThroughputOwner::Database(database);
    assert_eq!(account.engine.read_throughput(&none).await.unwrap().value, None);
    let replace = account.engine.replace_throughput(&none, Throughput::Manual(400)).await;
    refused(replace, ErrorKind::NotFound);
}
