//! Indexing policies: rebuilt in steps while in use; items that are not indexed.

use engine::operation::WriteOptions;
use engine::{ContainerLink, EngineSettings};
use model::{IndexPath, IndexingDirective, IndexingMode, IndexingPolicy};

use crate::account::{Account, plain, settings_without_maintenance};
use crate::verbs::{indexing, patch_of};

async fn filled(items: usize, items_max: usize) -> (Account, ContainerLink) {
    let account = Account::with_settings(EngineSettings {
        maintenance_items_max: items_max,
        ..settings_without_maintenance()
    })
    .await;
    let link = account.container(plain("c")).await;
    for number in 0..items {
        let text =
            format!(r#"{{"id":"i{number:03}","pk":"p{}","n":{number},"t":["a","b"]}}"#, number % 4);
        account.create(&link, &text).await.unwrap();
    }
    (account, link)
}

async fn terms(account: &Account) -> u64 {
    let report = account.engine.verify(&mut |_| {}).await.unwrap();
    assert!(report.is_consistent(), "{:#?}", report.findings);
    report.partitions.iter().map(|partition| partition.terms).sum()
}

async fn set(account: &Account, link: &ContainerLink, policy: &IndexingPolicy) -> u8 {
    let policy = policy.clone();
    let altered = account.alter(link, move |own| own.indexing_policy = policy).await.unwrap();
    altered.index_progress_percent
}

fn without(path: &str) -> IndexingPolicy {
    let mut policy = IndexingPolicy::default();
    policy.excluded.push(IndexPath::parse(path).unwrap());
    policy
}

#[tokio::test]
async fn a_new_policy_is_followed_step_by_step_while_items_are_written() {
    let (account, link) = filled(40, 7).await;
    let before = terms(&account).await;
    assert_eq!(set(&account, &link, &without("/t/*")).await, 0);
    let mut percents = vec![0];
    for step in 0..20 {
        let report = account.engine.maintain().await.unwrap();
        percents.push(account.resource(&link).await.index_progress_percent);
        // Before and behind the cursor: created, replaced, deleted.
        let text = format!(r#"{{"id":"z{step}","pk":"p1","n":1,"t":["q"]}}"#);
        account.create(&link, &text).await.unwrap();
        let name = format!("i{:03}", step * 2 + 1);
        let pk = format!("p{}", (step * 2 + 1) % 4);
        account.delete(&link, &pk, &name).await.unwrap();
        let (name, pk) = (format!("i{:03}", step * 2), format!("p{}", (step * 2) % 4));
        let operations = r#"[{"op":"set","path":"/t","value":["x","y","z"]}]"#;
        account.patch(&link, (&pk, &name), operations).await.unwrap();
        account.verify().await;
        if !report.more {
            break;
        }
    }
    assert!(percents.is_sorted(), "{percents:?}");
    assert!(percents.iter().filter(|percent| **percent < 100).count() > 3, "{percents:?}");
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(account.resource(&link).await.index_progress_percent, 100);
    assert!(terms(&account).await < before);
    let account = account.reopened().await;
    assert_eq!(account.resource(&link).await.index_progress_percent, 100);
    account.verify().await;
}

#[tokio::test]
async fn a_second_policy_waits_for_the_first_and_is_reached() {
    let (account, link) = filled(30, 4).await;
    set(&account, &link, &without("/n/?")).await;
    account.engine.maintain().await.unwrap();
    set(&account, &link, &without("/t/*")).await;
    account.engine.maintain().await.unwrap();
    assert!(account.resource(&link).await.index_progress_percent < 100);
    account.verify().await;
    let account = account.reopened().await;
    account.verify().await;
    set(&account, &link, &IndexingPolicy::default()).await;
    account.engine.maintain().await.unwrap();
    account.verify().await;
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(account.resource(&link).await.index_progress_percent, 100);
    let (fresh, _) = filled(30, 4).await;
    assert_eq!(terms(&account).await, terms(&fresh).await);
}

#[tokio::test]
async fn a_split_or_merge_during_a_rebuild_arrives_at_the_new_policy() {
    let (account, link) = filled(30, 4).await;
    set(&account, &link, &without("/n/?")).await;
    account.engine.maintain().await.unwrap();
    let children = account.split(&link, 0).await.unwrap();
    account.verify().await;
    set(&account, &link, &without("/t/*")).await;
    account.engine.maintain().await.unwrap();
    account.merge(&link, children[0], children[1]).await.unwrap();
    account.verify().await;
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(account.resource(&link).await.index_progress_percent, 100);
    account.verify().await;
}

#[tokio::test]
async fn the_mode_none_has_no_terms_and_comes_back() {
    let (account, link) = filled(20, 100).await;
    let before = terms(&account).await;
    set(&account, &link, &IndexingPolicy::none()).await;
    account.engine.maintain_fully().await.unwrap();
    let lists_of_paths = terms(&account).await;
    assert!(lists_of_paths <= 1, "{lists_of_paths}");
    account.create(&link, r#"{"id":"new","pk":"p0","n":1}"#).await.unwrap();
    assert_eq!(terms(&account).await, lists_of_paths);
    account.delete(&link, "p0", "new").await.unwrap();
    assert_eq!(account.resource(&link).await.properties.indexing_policy.mode, IndexingMode::None);
    set(&account, &link, &IndexingPolicy::default()).await;
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(terms(&account).await, before);
}

/// Terms of the only item there is after each write.
#[tokio::test]
async fn directives_decide_whether_an_item_is_indexed() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let text = r#"{"id":"a","pk":"x","n":1}"#;
    let upsert = |directive| account.upsert_with(&link, text, indexing(directive));
    upsert(IndexingDirective::Exclude).await.unwrap();
    let none = terms(&account).await;
    upsert(IndexingDirective::Default).await.unwrap();
    let some = terms(&account).await;
    assert!(some > none);
    let patch = |directive| {
        let patch = patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, None);
        account.patch_with(&link, ("x", "a"), patch, indexing(directive))
    };
    patch(IndexingDirective::Default).await.unwrap();
    assert_eq!(terms(&account).await, some, "a patch leaves it as it is");
    patch(IndexingDirective::Exclude).await.unwrap();
    assert!(terms(&account).await < some);
    patch(IndexingDirective::Include).await.unwrap();
    assert_eq!(terms(&account).await, some);
    upsert(IndexingDirective::Exclude).await.unwrap();
    assert_eq!(terms(&account).await, none);
    account.delete(&link, "x", "a").await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn an_excluded_item_stays_out_of_a_rebuild() {
    let (account, link) = filled(5, 100).await;
    let exclude = WriteOptions { indexing: IndexingDirective::Exclude, ..WriteOptions::default() };
    account.create_with(&link, None, r#"{"id":"out","pk":"p0","n":5}"#, exclude).await.unwrap();
    set(&account, &link, &without("/t/*")).await;
    account.engine.maintain_fully().await.unwrap();
    account.split(&link, 0).await.unwrap();
    account.verify().await;
    account.delete(&link, "p0", "out").await.unwrap();
    account.verify().await;
}
