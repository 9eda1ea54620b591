//! Promises about the change feed.

use model::{FeedRange, PartitionKey};
use serde::de::DeserializeOwned;

use super::Ground;
use super::check::{Checked, Order, Violation, equal, fails_with, holds};
use crate::change_feed::{Change, ChangeFeed, ChangeOperation, ChangeStart};
use crate::error::ErrorKind;

pub(super) async fn the_feed_tells_the_newest_version_of_what_changed(ground: Ground) -> Checked {
    let customer = ground.fresh("feed");
    let key = PartitionKey::from(customer.as_str());
    for id in ["1", "2"] {
        ground.orders.create(&key, &Order::new(id, &customer, 1)).await?;
    }
    ground.orders.replace(&key, &Order::new("1", &customer, 7), None).await?;
    ground.orders.delete(&key, "2", None).await?;
    let feed = within(&key, ChangeFeed::latest(ChangeStart::Beginning));
    let (changes, continuation) = all::<Order>(&ground, feed).await?;
    let told: Vec<_> = changes.iter().filter_map(|change| change.current.as_ref()).collect();
    let told: Vec<_> = told.iter().map(|item| (item.value.id.as_str(), item.value.total)).collect();
    equal("what is told", told, vec![("1", 7)])?;
    ground.orders.create(&key, &Order::new("3", &customer, 3)).await?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, continuation) =
        all::<Order>(&ground, within(&key, ChangeFeed::latest(start))).await?;
    let told: Vec<_> = changes.iter().filter_map(|change| change.current.as_ref()).collect();
    let told: Vec<_> = told.iter().map(|item| item.value.id.as_str()).collect();
    equal("what is told next", told, vec!["3"])?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, _) = all::<Order>(&ground, within(&key, ChangeFeed::latest(start))).await?;
    equal("what is told when nothing changed", changes.len(), 0)
}

pub(super) async fn a_feed_that_starts_now_tells_what_comes(ground: Ground) -> Checked {
    let customer = ground.fresh("now");
    let key = PartitionKey::from(customer.as_str());
    ground.orders.create(&key, &Order::new("before", &customer, 1)).await?;
    let feed = within(&key, ChangeFeed::latest(ChangeStart::Now));
    let (changes, continuation) = all::<Order>(&ground, feed).await?;
    equal("told of before", changes.len(), 0)?;
    ground.orders.create(&key, &Order::new("after", &customer, 1)).await?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, _) = all::<Order>(&ground, within(&key, ChangeFeed::latest(start))).await?;
    equal("told of after", changes.len(), 1)
}

pub(super) async fn feed_ranges_cover_the_container(ground: Ground) -> Checked {
    let customer = ground.fresh("ranges");
    let key = PartitionKey::from(customer.as_str());
    ground.orders.create(&key, &Order::new("1", &customer, 1)).await?;
    let ranges = ground.orders.feed_ranges().await?.value;
    holds("a container has a part", !ranges.is_empty())?;
    let mut found = 0;
    for part in ranges {
        let part = FeedRange::parse(&part.to_text())?;
        let feed = ChangeFeed { part, ..ChangeFeed::latest(ChangeStart::Beginning) };
        let (changes, _) = all(&ground, feed).await?;
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
    ground: Ground,
) -> Checked {
    let customer = ground.fresh("versions");
    let key = PartitionKey::from(customer.as_str());
    let feed = within(&key, ChangeFeed::all_versions(ChangeStart::Now));
    let (_, continuation) = all::<Order>(&ground, feed).await?;
    ground.orders.create(&key, &Order::new("1", &customer, 1)).await?;
    ground.orders.replace(&key, &Order::new("1", &customer, 2), None).await?;
    ground.orders.delete(&key, "1", None).await?;
    let start = ChangeStart::Continuation(continuation);
    let (changes, _) = all::<Order>(&ground, within(&key, ChangeFeed::all_versions(start))).await?;
    let told: Vec<_> = changes.iter().map(|change| change.operation).collect();
    let expected =
        [ChangeOperation::Create, ChangeOperation::Replace, ChangeOperation::Delete].map(Some);
    equal("what happened", told, expected.to_vec())?;
    let totals = changes.iter().map(|one| one.current.as_ref().map(|item| item.value.total));
    equal("the versions", totals.collect(), vec![Some(1), Some(2), None])?;
    let deletion = changes.last();
    let id = deletion.and_then(|change| change.id.clone());
    equal("the id of the deleted item", id, Some("1".to_owned()))
}

pub(super) async fn a_wrong_start_is_refused(ground: Ground) -> Checked {
    let key = PartitionKey::from("anybody");
    let feed = within(&key, ChangeFeed::all_versions(ChangeStart::Beginning));
    let refused = ground.orders.changes::<Order>(feed).await;
    fails_with("all versions from the beginning", refused, ErrorKind::BadRequest)?;
    let start = ChangeStart::Continuation("not a token".to_owned());
    let refused = ground.orders.changes::<Order>(within(&key, ChangeFeed::latest(start))).await;
    fails_with("a foreign continuation", refused, ErrorKind::BadRequest)
}

fn within(key: &PartitionKey, feed: ChangeFeed) -> ChangeFeed {
    ChangeFeed { part: FeedRange::PartitionKey(key.clone()), ..feed }
}

/// Everything told until nothing is new, and where the next page starts.
async fn all<T: DeserializeOwned>(
    ground: &Ground,
    mut feed: ChangeFeed,
) -> Result<(Vec<Change<T>>, String), Violation> {
    let mut changes = Vec::new();
    for _ in 0..1_000 {
        let mut page = ground.orders.changes::<T>(feed.clone()).await?.value;
        changes.append(&mut page.changes);
        feed.start = ChangeStart::Continuation(page.continuation.clone());
        if !page.more {
            return Ok((changes, page.continuation));
        }
    }
    Err(Violation::new("the feed does not come to an end"))
}
