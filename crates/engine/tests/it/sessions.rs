//! Session tokens: a session never reads older data, and a token that is ahead of a partition is rejected.

use engine::ErrorKind;
use engine::operation::{ListItems, PageOptions, ReadManyItems, ReadOptions, WriteOptions};
use model::{FeedRange, Lsn, SessionToken, Throughput};

use crate::account::{Account, plain};
use crate::verbs::{id, key, read_of, refused};

fn options(token: &str) -> ReadOptions {
    let session_token = Some(SessionToken::parse(token).unwrap());
    ReadOptions { session_token, ..ReadOptions::default() }
}

#[tokio::test]
async fn every_write_moves_its_partition_by_one_and_no_other() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::Manual(12_000))).await;
    let mut seen = SessionToken::default();
    for number in 0..30 {
        let text = format!(r#"{{"id":"i{number}","pk":"p{number}"}}"#);
        let written = account.create_with(&link, None, &text, WriteOptions::default()).await;
        let token = written.unwrap().session_token.unwrap();
        let (partition, lsn) = token.iter().next().unwrap();
        assert_eq!(lsn, seen.lsn_of(partition).unwrap_or(Lsn::ZERO).next());
        seen.advance(partition, lsn);
    }
    assert_eq!(seen.iter().count(), 2);
    for partition in account.engine.list_partitions(&link).await.unwrap().value.partitions {
        assert_eq!(Some(partition.lsn), seen.lsn_of(partition.number));
    }
}

#[tokio::test]
async fn a_token_from_the_future_is_refused_by_every_read() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    let read = |token: &str| {
        let mut read = read_of(&link, "x", "a");
        read.options = options(token);
        account.engine.read_item(read)
    };
    let list = |token: &str| {
        account.engine.list_items(ListItems {
            container: link.clone(),
            feed_range: FeedRange::Container,
            page: PageOptions::default(),
            options: options(token),
        })
    };
    let many = |token: &str| {
        let items = vec![(key("x"), id("a"))];
        let options = options(token);
        account.engine.read_many_items(ReadManyItems { container: link.clone(), items, options })
    };
    for good in ["0:-1#1", "0:0#1", "0:-1#0", "17:-1#999999", "17:-1#999999,0:-1#1"] {
        read(good).await.unwrap();
        list(good).await.unwrap();
        many(good).await.unwrap();
    }
    for future in ["0:-1#2", "0:0#9", "0:-1#1000000"] {
        let kind = ErrorKind::SessionNotAvailable;
        refused(read(future).await, kind);
        refused(list(future).await, kind);
        refused(many(future).await, kind);
    }
    account.create(&link, r#"{"id":"b","pk":"x"}"#).await.unwrap();
    read("0:-1#2").await.unwrap();
}

#[tokio::test]
async fn tokens_stay_good_over_reopening_splits_and_merges() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let mut token = SessionToken::default();
    for number in 0..10 {
        let text = format!(r#"{{"id":"i{number}","pk":"p{number}"}}"#);
        let written = account.create_with(&link, None, &text, WriteOptions::default()).await;
        token = token.merge(&written.unwrap().session_token.unwrap());
    }
    let account = account.reopened().await;
    let read = |account: &Account, token: &SessionToken| {
        let mut read = read_of(&link, "p3", "i3");
        read.options.session_token = Some(token.clone());
        let engine = account.engine.clone();
        async move { engine.read_item(read).await.unwrap().session_token.unwrap() }
    };
    token = token.merge(&read(&account, &token).await);
    let children = account.split(&link, 0).await.unwrap();
    token = token.merge(&read(&account, &token).await);
    let merged = account.merge(&link, children[0], children[1]).await.unwrap();
    let after = read(&account, &token).await;
    assert!(after.lsn_of(merged).unwrap() > token.lsn_of(0).unwrap(), "an lsn never goes back");
    let account = account.reopened().await;
    assert!(read(&account, &token.merge(&after)).await.lsn_of(merged) >= after.lsn_of(merged));
}

#[tokio::test]
async fn a_failed_write_moves_nothing() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    let before = account.engine.list_partitions(&link).await.unwrap().value;
    refused(account.create(&link, r#"{"id":"a","pk":"x"}"#).await, ErrorKind::Conflict);
    refused(account.delete(&link, "x", "b").await, ErrorKind::NotFound);
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value, before);
}
