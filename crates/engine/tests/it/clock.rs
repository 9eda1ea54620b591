//! A clock that was wrong and is corrected: timestamps, time to live and the change feed by time go on.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart};
use engine::{ContainerLink, ErrorKind};
use model::{Json, TimeToLive, TimestampMs, TimestampSeconds};

use crate::account::{Account, START, plain, settings_without_maintenance};

const YEAR_SECONDS: u64 = 365 * 24 * 60 * 60;

async fn account(default: TimeToLive) -> (Account, ContainerLink) {
    let account = Account::with_settings(settings_without_maintenance()).await;
    let mut properties = plain("c");
    properties.default_time_to_live = default;
    let link = account.container(properties).await;
    (account, link)
}

/// Creates an item and returns its `_ts` relative to the start.
async fn create(account: &Account, link: &ContainerLink, id: &str) -> u64 {
    let item = account.create(link, &format!(r#"{{"id":"{id}","pk":"x"}}"#)).await.unwrap();
    let seconds = item.to_json().get("_ts").and_then(Json::as_i64).unwrap().unsigned_abs();
    seconds - START.0 / 1000
}

fn set(account: &Account, seconds: u64) {
    account.clock.set(TimestampMs(START.0 + seconds * 1000));
}

#[tokio::test]
async fn a_small_step_back_keeps_the_order_and_a_large_one_is_followed() {
    let (account, link) = account(TimeToLive::Off).await;
    set(&account, 1000);
    assert_eq!(create(&account, &link, "a").await, 1000);
    set(&account, 940);
    assert_eq!(create(&account, &link, "b").await, 1000, "the order is kept for a minute");
    set(&account, 939);
    assert_eq!(create(&account, &link, "c").await, 939, "the clock was wrong");
    set(&account, YEAR_SECONDS);
    assert_eq!(create(&account, &link, "d").await, YEAR_SECONDS);
    set(&account, 1001);
    assert_eq!(create(&account, &link, "e").await, 1001);
    let account = account.reopened().await;
    set(&account, 1002);
    assert_eq!(create(&account, &link, "f").await, 1002);
    account.verify().await;
}

#[tokio::test]
async fn the_change_feed_by_time_finds_every_later_change() {
    let (account, link) = account(TimeToLive::Off).await;
    for (second, id) in [(10, "a"), (YEAR_SECONDS, "ahead"), (20, "b"), (30, "c")] {
        set(&account, second);
        create(&account, &link, id).await;
    }
    for (from, expected) in [(15, vec!["ahead", "b", "c"]), (25, vec!["ahead", "b", "c"])] {
        let start = ChangeFeedStart::Time(TimestampSeconds(START.0 / 1000 + from));
        let page = account.changes(&link, ChangeFeedMode::LatestVersion, start, 10).await.unwrap();
        let ids: Vec<_> = page.changes.iter().map(|change| change.id().to_owned()).collect();
        // A change at or after the time is never left out; one that lies between two of them may come along.
        assert_eq!(ids, expected, "from {from}");
    }
    // A start after the newest change must not skip those that are still to come.
    let start = ChangeFeedStart::Time(TimestampSeconds(START.0 / 1000 + 2 * YEAR_SECONDS));
    let page = account.changes(&link, ChangeFeedMode::LatestVersion, start, 10).await.unwrap();
    assert!(page.changes.is_empty());
    create(&account, &link, "d").await;
    let next = ChangeFeedStart::Continuation(page.continuation);
    let page = account.changes(&link, ChangeFeedMode::LatestVersion, next, 10).await.unwrap();
    assert_eq!(page.changes.len(), 1);
}

#[tokio::test]
async fn items_written_after_the_correction_expire_and_are_removed() {
    let (account, link) = account(TimeToLive::Seconds(10)).await;
    set(&account, YEAR_SECONDS);
    create(&account, &link, "ahead").await;
    let own = |id: &str| format!(r#"{{"id":"{id}","pk":"x","ttl":5}}"#);
    account.create(&link, &own("own ahead")).await.unwrap();
    set(&account, YEAR_SECONDS + 6);
    // The sweep of items with a time to live of their own goes ahead with the clock.
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 1);
    set(&account, 100);
    create(&account, &link, "inherits").await;
    account.create(&link, &own("own")).await.unwrap();
    set(&account, 111);
    for id in ["inherits", "own"] {
        let read = account.read(&link, "x", id).await;
        assert_eq!(read.unwrap_err().kind(), ErrorKind::NotFound, "{id}");
    }
    assert!(account.read(&link, "x", "ahead").await.is_ok(), "its time has not come");
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 2);
    account.verify().await;
}
