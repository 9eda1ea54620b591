//! The change feed of newest versions: order, starts, ranges, positions.

use engine::change_feed::{
    ChangeFeedMode, ChangeFeedPage, ChangeFeedStart, ChangeOperation, ChangeRecord,
};
use engine::operation::BatchOperation;
use engine::{ContainerLink, ErrorKind};
use model::{EpkRange, FeedRange, Lsn, Throughput, TimestampSeconds};

use crate::account::{Account, json, plain};
use crate::random::SeededRandom;
use crate::verbs::{key, refused};

const LATEST: ChangeFeedMode = ChangeFeedMode::LatestVersion;

pub(crate) fn names(changes: &[ChangeRecord]) -> Vec<&str> {
    changes.iter().map(|change| change.id()).collect()
}

/// Reads all changes from a start on; returns also the position after them.
pub(crate) async fn drain(
    account: &Account,
    link: &ContainerLink,
    range: &FeedRange,
    mode: ChangeFeedMode,
    mut start: ChangeFeedStart,
    items_max: usize,
) -> (Vec<ChangeRecord>, String) {
    let mut changes = Vec::new();
    loop {
        let page = account.changes_of(link, range.clone(), mode, start, items_max).await.unwrap();
        assert!(page.changes.is_sorted_by_key(ChangeRecord::lsn));
        changes.extend(page.changes);
        if !page.more {
            return (changes, page.continuation);
        }
        start = ChangeFeedStart::Continuation(page.continuation);
    }
}

async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for name in ["a", "b", "c"] {
        let text = format!(r#"{{"id":"{name}","pk":"{name}"}}"#);
        account.create(&link, &text).await.unwrap();
        account.travel(10);
    }
    (account, link)
}

async fn first(account: &Account, link: &ContainerLink, start: ChangeFeedStart) -> ChangeFeedPage {
    account.changes(link, LATEST, start, 10).await.unwrap()
}

#[tokio::test]
async fn an_item_changed_twice_appears_once_at_its_newest_place() {
    let (account, link) = filled().await;
    account.upsert(&link, r#"{"id":"a","pk":"a","n":2}"#).await.unwrap();
    account.delete(&link, "b", "b").await.unwrap();
    let page = first(&account, &link, ChangeFeedStart::Beginning).await;
    assert_eq!(names(&page.changes), ["c", "a"]);
    assert_eq!(page.changes[1].operation(), ChangeOperation::Replace);
    assert_eq!(page.changes[1].lsn(), Lsn(4));
    assert_eq!(page.changes[1].previous(), None);
    let current = page.changes[1].current().unwrap();
    assert_eq!(current, account.read(&link, "a", "a").await.unwrap());
}

#[tokio::test]
async fn every_start_begins_where_it_says() {
    let (account, link) = filled().await;
    let from = |start| {
        let (account, link) = (&account, &link);
        async move {
            let page = first(account, link, start).await;
            page.changes.iter().map(|change| change.id().to_owned()).collect::<Vec<_>>().join("")
        }
    };
    assert_eq!(from(ChangeFeedStart::Beginning).await, "abc");
    assert_eq!(from(ChangeFeedStart::Now).await, "");
    for (second, expected) in
        [(0, "abc"), (1, "bc"), (10, "bc"), (11, "c"), (20, "c"), (21, ""), (9999, "")]
    {
        let time = TimestampSeconds(1_800_000_000 + second);
        assert_eq!(from(ChangeFeedStart::Time(time)).await, expected, "{second}");
    }
    let page = account.changes(&link, LATEST, ChangeFeedStart::Beginning, 1).await.unwrap();
    assert_eq!(from(ChangeFeedStart::Continuation(page.continuation)).await, "bc");
    assert_eq!(from(ChangeFeedStart::Position(page.position)).await, "bc");
}

/// Bisection over a log with holes, repeated seconds and transactions of several items.
#[tokio::test]
async fn a_start_in_time_is_found_exactly_in_any_log() {
    let mut account = Account::new().await;
    let link = account.container(plain("c")).await;
    let mut written = Vec::new();
    let mut random = SeededRandom::new(9);
    for step in 0..120 {
        let number = random.below(40);
        account.travel(random.below(3));
        let text = format!(r#"{{"id":"i{number}","pk":"p{number}","step":{step}}}"#);
        let item = account.upsert(&link, &text).await.unwrap();
        written.retain(|(name, _)| *name != number);
        written.push((number, item.item().timestamp().0));
        if step == 60 {
            let children = account.split(&link, 0).await.unwrap();
            account.upsert(&link, r#"{"id":"i0","pk":"p0"}"#).await.unwrap();
            written.retain(|(name, _)| *name != 0);
            written.push((0, account.read(&link, "p0", "i0").await.unwrap().timestamp().0));
            account.merge(&link, children[0], children[1]).await.unwrap();
            account = account.reopened().await;
        }
    }
    let last = written.last().unwrap().1;
    for second in 1_799_999_999..=last + 1 {
        let start = ChangeFeedStart::Time(TimestampSeconds(second));
        let (changes, _) = drain(&account, &link, &FeedRange::Container, LATEST, start, 7).await;
        // After a merge a page may begin with older changes of the other parent, never leave a newer one out.
        let mut missing: Vec<_> =
            written.iter().filter(|(_, timestamp)| *timestamp >= second).collect();
        missing.retain(|(number, _)| {
            !changes.iter().any(|change| change.id() == format!("i{number}"))
        });
        assert!(missing.is_empty(), "{second}: {missing:?}");
    }
}

#[tokio::test]
async fn a_page_never_cuts_a_transaction() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for batch in 0..4 {
        let operations = (0..10)
            .map(|number| BatchOperation::Create {
                item: json(&format!(r#"{{"id":"{batch}-{number}","pk":"x"}}"#)).into(),
                options: Default::default(),
            })
            .collect();
        account.batch(&link, "x", operations).await.unwrap();
    }
    for (items_max, pages) in [(1, 4), (10, 4), (11, 2), (100, 1)] {
        let mut start = ChangeFeedStart::Beginning;
        let mut sizes = Vec::new();
        loop {
            let page = account.changes(&link, LATEST, start, items_max).await.unwrap();
            if page.changes.is_empty() {
                break;
            }
            sizes.push(page.changes.len());
            start = ChangeFeedStart::Continuation(page.continuation);
        }
        assert_eq!(sizes.len(), pages, "{items_max}: {sizes:?}");
        assert_eq!(sizes.iter().sum::<usize>(), 40);
        assert!(sizes.iter().all(|size| size % 10 == 0), "{sizes:?}");
    }
}

#[tokio::test]
async fn an_empty_page_keeps_its_place() {
    let (account, link) = filled().await;
    let mut start = ChangeFeedStart::Now;
    for _ in 0..3 {
        let page = first(&account, &link, start).await;
        assert!(page.changes.is_empty() && !page.more);
        start = ChangeFeedStart::Continuation(page.continuation);
    }
    account.create(&link, r#"{"id":"d","pk":"d"}"#).await.unwrap();
    let account = account.reopened().await;
    assert_eq!(names(&first(&account, &link, start).await.changes), ["d"]);
}

#[tokio::test]
async fn a_feed_range_shows_its_own_changes_only() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::Manual(12_000))).await;
    for number in 0..40 {
        let text = format!(r#"{{"id":"i{number}","pk":"p{}"}}"#, number % 8);
        account.create(&link, &text).await.unwrap();
    }
    let from_beginning = |range: FeedRange| {
        let (account, link) = (&account, &link);
        async move { drain(account, link, &range, LATEST, ChangeFeedStart::Beginning, 3).await.0 }
    };
    for number in 0..8 {
        let changes = from_beginning(FeedRange::PartitionKey(key(&format!("p{number}")))).await;
        let expected: Vec<_> = (0..5).map(|round| format!("i{}", number + 8 * round)).collect();
        assert_eq!(names(&changes), expected);
    }
    let (lower, upper) = EpkRange::full()
        .split_at(&EpkRange::full().midpoint(&plain("c").partition_key))
        .map(|(lower, upper)| (FeedRange::Epk(lower), FeedRange::Epk(upper)))
        .unwrap();
    let (lower, upper) = (from_beginning(lower).await, from_beginning(upper).await);
    assert_eq!(lower.len() + upper.len(), 40);
    assert!(!lower.is_empty() && !upper.is_empty());
    assert_eq!(from_beginning(FeedRange::Container).await.len(), 40);
}

#[tokio::test]
async fn a_foreign_or_damaged_continuation_is_refused() {
    let (account, link) = filled().await;
    let other = account.container(plain("other")).await;
    let token = first(&account, &link, ChangeFeedStart::Beginning).await.continuation;
    let read = |link: &ContainerLink, range: FeedRange, token: &str| {
        let start = ChangeFeedStart::Continuation(token.to_owned());
        let (account, link) = (&account, link.clone());
        async move { account.changes_of(&link, range, LATEST, start, 10).await }
    };
    let kind = ErrorKind::ContinuationRefused;
    refused(read(&other, FeedRange::Container, &token).await, kind);
    for damaged in ["", "x", &token[1..], &format!("{token}A")] {
        refused(read(&link, FeedRange::Container, damaged).await, kind);
    }
    let list = account.page(&link, &FeedRange::Container, 1, None).await.unwrap();
    refused(read(&link, FeedRange::Container, &list.continuation.unwrap()).await, kind);
}

/// A position of a wider range can be used for a narrower one, but not for a disjoint one.
#[tokio::test]
async fn a_position_is_read_inside_the_feed_range_only() {
    let (account, link) = filled().await;
    let of = |pk: &str| FeedRange::PartitionKey(key(pk));
    let page = account.changes(&link, LATEST, ChangeFeedStart::Beginning, 1).await.unwrap();
    let start = ChangeFeedStart::Continuation(page.continuation);
    let narrowed = account.changes_of(&link, of("c"), LATEST, start, 10).await.unwrap();
    assert_eq!(names(&narrowed.changes), ["c"]);
    let of_c = ChangeFeedStart::Continuation(narrowed.continuation);
    let foreign = account.changes_of(&link, of("b"), LATEST, of_c, 10).await;
    refused(foreign, ErrorKind::ContinuationRefused);
}

#[tokio::test]
async fn a_missing_container_has_no_feed() {
    let (account, link) = filled().await;
    account.engine.delete_container(&link).await.unwrap();
    let page = account.changes(&link, LATEST, ChangeFeedStart::Beginning, 1).await;
    refused(page, ErrorKind::OwnerNotFound);
}

/// A page of a narrow range looks at a bounded number of changes of its partition, and says where it stopped.
#[tokio::test]
async fn a_narrow_range_in_a_busy_partition_is_passed_page_by_page() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..10_050 {
        let text = format!(r#"{{"id":"i{number}","pk":"busy"}}"#);
        account.create(&link, &text).await.unwrap();
    }
    account.create(&link, r#"{"id":"rare","pk":"calm"}"#).await.unwrap();
    let calm = FeedRange::PartitionKey(key("calm"));
    let read = |start| account.changes_of(&link, calm.clone(), LATEST, start, 10);
    let passed = read(ChangeFeedStart::Beginning).await.unwrap();
    assert!(passed.changes.is_empty() && passed.more);
    assert!(passed.position.ranges[0].lsn >= Lsn(9_000), "{:?}", passed.position);
    let found = read(ChangeFeedStart::Continuation(passed.continuation)).await.unwrap();
    assert_eq!(names(&found.changes), ["rare"]);
    let end = read(ChangeFeedStart::Continuation(found.continuation)).await.unwrap();
    assert!(end.changes.is_empty() && !end.more);
}
