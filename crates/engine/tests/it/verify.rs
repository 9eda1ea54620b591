//! Verify finds what is broken and only that; export and import carry a container over.

use engine::verify::VerifyReport;
use engine::{Engine, SPACES};
use storage::{KeyRange, Scan, ScanLimit, Shard, Space, WriteSet};

use crate::account::{Account, plain};

pub(crate) async fn verify(engine: &Engine) -> VerifyReport {
    engine.verify(&mut |_| {}).await.unwrap()
}

fn space(name: &str) -> Space {
    *SPACES.iter().find(|space| space.name == name).unwrap()
}

async fn filled() -> Account {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..20 {
        let key = number % 3;
        let text = format!(r#"{{"id":"i{number}","pk":"p{key}","n":{number},"tags":["a","b"]}}"#);
        account.create(&link, &text).await.unwrap();
    }
    account
}

/// Removes the first entry of a space behind the engine's back.
async fn remove_first(account: &Account, name: &str) {
    let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(1));
    let page = account.store.scan(Shard(1), space(name), &scan).await.unwrap();
    let mut set = WriteSet::new();
    set.remove(space(name), page.entries[0].key.clone());
    account.store.commit(Shard(1), vec![set]).await.unwrap();
}

#[tokio::test]
async fn an_untouched_store_is_consistent() {
    let report = verify(&filled().await.engine).await;
    assert!(report.is_consistent(), "{:?}", report.findings);
    assert_eq!(report.partitions[0].items, 20);
}

#[tokio::test]
async fn a_missing_term_is_found() {
    let account = filled().await;
    remove_first(&account, "terms").await;
    let report = verify(&account.engine).await;
    assert_eq!(report.findings_count, 1, "{:?}", report.findings);
    assert!(report.findings[0].text.contains("missing in space terms"), "{:?}", report.findings);
}

#[tokio::test]
async fn a_missing_change_is_found() {
    let account = filled().await;
    remove_first(&account, "change_log").await;
    let report = verify(&account.engine).await;
    assert!(
        report.findings[0].text.contains("missing in space change_log"),
        "{:?}",
        report.findings
    );
}

#[tokio::test]
async fn an_item_removed_alone_leaves_entries_without_owner_and_wrong_counters() {
    let account = filled().await;
    remove_first(&account, "items").await;
    let report = verify(&account.engine).await;
    let has = |text: &str| report.findings.iter().any(|finding| finding.text.contains(text));
    assert!(has("the counters say 20 items"), "{:?}", report.findings);
    assert!(has("an entry of space terms belongs to no item"), "{:?}", report.findings);
    assert!(has("an entry of space change_log belongs to no item"), "{:?}", report.findings);
}

#[tokio::test]
async fn a_term_nobody_wrote_is_found() {
    let account = filled().await;
    let mut set = WriteSet::new();
    set.put(
        space("terms"),
        vec![2, 0, 2, b'/', b'x', 0x20, 0, 0, 0, 0, 0, 0, 0, 1],
        b"nowhere".to_vec(),
    );
    account.store.commit(Shard(1), vec![set]).await.unwrap();
    let report = verify(&account.engine).await;
    assert_eq!(report.findings_count, 1, "{:?}", report.findings);
}
