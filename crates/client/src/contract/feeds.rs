//! Promises about the change feed.

use engine::change_feed::ChangeOperation;
use model::{FeedRange, PartitionKey};
use serde::de::DeserializeOwned;

use super::ContractFixture;
use super::check::{AccountCaseResult, AccountViolation, TestOrder, equal, fails_with, holds};
use crate::change_feed::{Change, ChangeFeed, ChangeStart};
use crate::error::ErrorKind;

pub(super) async fn the_feed_tells_the_newest_version_of_what_changed(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("feed");
    let key = PartitionKey::from(customer.as_str());
    for id in ["1", "2"] {
        fixture.orders.create(&key, &TestOrder::new(id, &customer, 1)).await?;
    }
    fixture.orders.replace(&key, &TestOrder::new("1", &customer, 7), None).await?;
    fixture.orders.delete(&key, "2", None).await?;
    let feed = within(&key, ChangeFeed::latest(ChangeStart::Beginning));
    let (changes, continuation) = all::<TestOrder>(&fixture, feed).await?;
    let found: Vec<_> = changes.iter().filter_map(|change| change.current.as_ref()).collect();
    let found: Vec<_> =
        found.iter().map(|item| (item.value.id.as_str(), item.value.total)).collect();
    equal("the feed", found, vec![("1", 7)])?;
    fixture.orders.create(&key, &TestOrder::new("3", &customer, 3)).await?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, continuation) =
        all::<TestOrder>(&fixture, within(&key, ChangeFeed::latest(start))).await?;
    let found: Vec<_> = changes.iter().filter_map(|change| change.current.as_ref()).collect();
    let found: Vec<_> = found.iter().map(|item| item.value.id.as_str()).collect();
    equal("the next page", found, vec!["3"])?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, _) = all::<TestOrder>(&fixture, within(&key, ChangeFeed::latest(start))).await?;
    equal("the feed when nothing changed", changes.len(), 0)
}

pub(super) async fn a_feed_that_starts_now_tells_what_comes(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("now");
    let key = PartitionKey::from(customer.as_str());
    fixture.orders.create(&key, &TestOrder::new("before", &customer, 1)).await?;
    let feed = within(&key, ChangeFeed::latest(ChangeStart::Now));
    let (changes, continuation) = all::<TestOrder>(&fixture, feed).await?;
    equal("changes before", changes.len(), 0)?;
    fixture.orders.create(&key, &TestOrder::new("after", &customer, 1)).await?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, _) = all::<TestOrder>(&fixture, within(&key, ChangeFeed::latest(start))).await?;
    equal("changes after", changes.len(), 1)
}

pub(super) async fn feed_ranges_cover_the_container(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("ranges");
    let key = PartitionKey::from(customer.as_str());
    fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let ranges = fixture.orders.feed_ranges().await?.value;
    holds("a container has a part", !ranges.is_empty())?;
    let mut found = 0;
    for part in ranges {
        let feed_range = FeedRange::parse(&part.to_text())?;
        let feed = ChangeFeed { feed_range, ..ChangeFeed::latest(ChangeStart::Beginning) };
        let (changes, _) = all(&fixture, feed).await?;
        // Other cases write items that are no orders.
        let ours = |change: &&Change<serde_json::Value>| {
            let item = change.current.as_ref();
            item.and_then(|item| item.value.get("customer")?.as_str()) == Some(customer.as_str())
        };
        found += changes.iter().filter(ours).count();
    }
    equal("the item is in one of them", found, 1)
}

pub(super) async fn the_feed_of_all_versions_tells_versions_and_deletions(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("versions");
    let key = PartitionKey::from(customer.as_str());
    let feed = within(&key, ChangeFeed::all_versions(ChangeStart::Now));
    let (_, continuation) = all::<TestOrder>(&fixture, feed).await?;
    fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    fixture.orders.replace(&key, &TestOrder::new("1", &customer, 2), None).await?;
    fixture.orders.delete(&key, "1", None).await?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, _) =
        all::<TestOrder>(&fixture, within(&key, ChangeFeed::all_versions(start))).await?;
    let found: Vec<_> = changes.iter().map(|change| change.operation).collect();
    let expected =
        [ChangeOperation::Create, ChangeOperation::Replace, ChangeOperation::Delete].map(Some);
    equal("what happened", found, expected.to_vec())?;
    let totals = changes.iter().map(|one| one.current.as_ref().map(|item| item.value.total));
    equal("the versions", totals.collect(), vec![Some(1), Some(2), None])?;
    let deletion = changes.last();
    let id = deletion.and_then(|change| change.id.clone());
    equal("the id of the deleted item", id, Some("1".to_owned()))
}

pub(super) async fn a_wrong_start_is_refused(fixture: ContractFixture) -> AccountCaseResult {
    let key = PartitionKey::from("anybody");
    let feed = within(&key, ChangeFeed::all_versions(ChangeStart::Beginning));
    let refused = fixture.orders.changes::<TestOrder>(feed).await;
    fails_with("all versions from the beginning", refused, ErrorKind::BadRequest)?;
    let start = ChangeStart::Continuation("not a token".to_owned());
    let refused =
        fixture.orders.changes::<TestOrder>(within(&key, ChangeFeed::latest(start))).await;
    fails_with("a foreign continuation", refused, ErrorKind::BadRequest)
}

fn within(key: &PartitionKey, feed: ChangeFeed) -> ChangeFeed {
    ChangeFeed { feed_range: FeedRange::PartitionKey(key.clone()), ..feed }
}

/// All changes until nothing is new, and where the next page starts.
async fn all<T: DeserializeOwned>(
    fixture: &ContractFixture,
    mut feed: ChangeFeed,
) -> Result<(Vec<Change<T>>, String), AccountViolation> {
    let mut changes = Vec::new();
    for _ in 0..1_000 {
        let mut page = fixture.orders.changes::<T>(feed.clone()).await?.value;
        changes.append(&mut page.changes);
        feed.start = ChangeStart::Continuation(page.continuation.clone());
        if !page.more {
            return Ok((changes, page.continuation));
        }
    }
    Err(AccountViolation::new("the feed does not come to an end"))
}
