//! Erasing and exporting a subject over several containers, under faults and crashes.

use client::{Account, Container, Fault, Faults, Query};
use serde_json::{Value, json};
use service::erasure::{Erasure, ErasureCertificate, SubjectContainer, keep_last_characters};

use crate::world::{Dice, World, land, on};

const KEY: &[u8] = b"a secret of the tests";

/// Events and notifications by user; owners of tokens by token.
async fn containers(world: &World) {
    world.container("events", "/userId").await;
    world.container("notifications", "/userId").await;
    world.container("owners", "/id").await;
    world.container("records", "/id").await;
}

fn erasure(account: &Account) -> Erasure {
    Erasure::new(&on(account, "records"), KEY)
        .with(
            SubjectContainer::by_partition_key("events", &on(account, "events"))
                .redacted(|item| keep_last_characters(item, "pushToken", 4)),
        )
        .with(SubjectContainer::by_partition_key("notifications", &on(account, "notifications")))
        .with(SubjectContainer::by_query("owners", &on(account, "owners"), |subject| {
            Query::text("SELECT * FROM c WHERE c.userId = @subject")
                .parameter("@subject", subject)
                .fan_out("owners are kept by token, not by user")
        }))
}

async fn fill(world: &World, user: &str, count: usize) {
    let write = async |name: &str, key: &str, item: Value| {
        on(&world.account, name).upsert(&key.into(), &item, None).await.unwrap();
    };
    for number in 0..count {
        let id = format!("{user}{number}");
        write("events", user, json!({"id": id, "userId": user, "pushToken": "0123456789"})).await;
        write("notifications", user, json!({"id": id, "userId": user, "title": "liked"})).await;
        write("owners", &id, json!({"id": id, "userId": user})).await;
    }
}

async fn count(container: &Container) -> usize {
    let query = Query::text("SELECT VALUE c.id FROM c").fan_out("the test counts all");
    container.query::<String>(&query).await.unwrap().value.len()
}

async fn counts(world: &World) -> [usize; 3] {
    let mut counts = [0; 3];
    for (slot, name) in counts.iter_mut().zip(["events", "notifications", "owners"]) {
        *slot = count(&on(&world.account, name)).await;
    }
    counts
}

fn found(certificate: &ErasureCertificate) -> Vec<(&str, u64, u64)> {
    let report = |erased: &'_ service::erasure::ErasedContainer| (erased.found, erased.remaining);
    let names = certificate.containers.iter().map(|erased| erased.name.as_str());
    names
        .zip(certificate.containers.iter().map(report))
        .map(|(name, (f, r))| (name, f, r))
        .collect()
}

#[tokio::test]
async fn only_the_items_of_the_subject_are_erased() {
    let world = World::new(1).await;
    containers(&world).await;
    fill(&world, "bob", 40).await;
    fill(&world, "alice", 3).await;
    let erasure = erasure(&world.account);
    assert_eq!(erasure.certificate("bob").await.unwrap(), None);
    let certificate = erasure.erase("bob").await.unwrap();
    let all = [("events", 40, 0), ("notifications", 40, 0), ("owners", 40, 0)];
    assert_eq!(found(&certificate), all);
    assert_eq!(counts(&world).await, [3, 3, 3]);
    assert_eq!(erasure.certificate("bob").await.unwrap(), Some(certificate));
}

#[tokio::test]
async fn erasing_again_changes_nothing_and_says_the_same() {
    let world = World::new(1).await;
    containers(&world).await;
    fill(&world, "bob", 2).await;
    let erasure = erasure(&world.account);
    let first = erasure.erase("bob").await.unwrap();
    world.travel(1000);
    let faults = Faults::new();
    let again = self::erasure(&world.suffering(&faults)).erase("bob").await.unwrap();
    assert_eq!(again, first);
    for write in ["create", "replace", "upsert", "delete", "delete partition", "batch", "patch"] {
        assert_eq!(faults.requests(write), 0, "{write}");
    }
}

#[tokio::test]
async fn a_subject_that_came_back_is_erased_anew() {
    let world = World::new(1).await;
    containers(&world).await;
    fill(&world, "bob", 2).await;
    let erasure = erasure(&world.account);
    let first = erasure.erase("bob").await.unwrap();
    world.travel(1000);
    fill(&world, "bob", 1).await;
    let second = erasure.erase("bob").await.unwrap();
    assert_eq!((first.erasure, second.erasure), (1, 2));
    assert!(second.started_at > first.finished_at);
    let one = [("events", 1, 0), ("notifications", 1, 0), ("owners", 1, 0)];
    assert_eq!(found(&second), one);
}

#[tokio::test]
async fn the_record_holds_nothing_about_the_subject() {
    let world = World::new(1).await;
    containers(&world).await;
    fill(&world, "bob", 2).await;
    let certificate = erasure(&world.account).erase("bob").await.unwrap();
    let all = Query::text("SELECT * FROM c").fan_out("the test reads all records");
    let records = on(&world.account, "records").query::<Value>(&all).await.unwrap().value;
    let text = serde_json::to_string(&(records, &certificate)).unwrap();
    assert!(!text.contains("bob"), "{text}");
    assert_eq!(certificate.subject_hash.len(), 64);
    // Another key, another name: a list of users does not reveal who was erased.
    let other = Erasure::new(&on(&world.account, "records"), b"another secret");
    assert_ne!(other.subject_hash("bob"), certificate.subject_hash);
}

#[tokio::test]
async fn an_erasure_may_end_at_any_request_and_is_finished_by_the_next() {
    for stop in [Fault::StopBefore, Fault::StopAfter] {
        let mut request = 0;
        loop {
            let world = World::new(request).await;
            containers(&world).await;
            fill(&world, "bob", 3).await;
            fill(&world, "alice", 1).await;
            let faults = Faults::new();
            (0..request).for_each(|_| faults.next(Fault::None));
            faults.next(stop);
            let first = erasure(&world.suffering(&faults));
            let ended = faults.until_stopped(first.erase("bob")).await;
            land().await;
            let certificate = erasure(&world.account).erase("bob").await.unwrap();
            let all = [("events", 3, 0), ("notifications", 3, 0), ("owners", 3, 0)];
            assert_eq!(found(&certificate), all, "{request} {stop:?}");
            assert_eq!(certificate.erasure, 1);
            assert_eq!(counts(&world).await, [1, 1, 1]);
            if let Some(ended) = ended {
                assert_eq!(ended.unwrap(), certificate);
                break;
            }
            request += 1;
        }
        assert!(request >= 20, "{request} requests only");
    }
}

#[tokio::test]
async fn faults_of_every_seed_change_neither_the_result_nor_the_counts() {
    for seed in 0..25 {
        let world = World::new(seed).await;
        containers(&world).await;
        fill(&world, "bob", 5).await;
        let faults = Faults::new();
        Dice::new(seed).plan(&faults, 200, 3);
        let (one, two) = (erasure(&world.suffering(&faults)), erasure(&world.suffering(&faults)));
        for _ in 0..10 {
            // Two at once: whoever is first writes, the other follows.
            faults.until_stopped(async { tokio::join!(one.erase("bob"), two.erase("bob")) }).await;
        }
        land().await;
        let certificate = erasure(&world.account).erase("bob").await.unwrap();
        assert_eq!((certificate.erasure, counts(&world).await), (1, [0, 0, 0]), "seed {seed}");
        let all = [("events", 5, 0), ("notifications", 5, 0), ("owners", 5, 0)];
        assert_eq!(found(&certificate), all, "seed {seed}");
        assert!(faults.injected() > 10, "seed {seed}");
    }
}

#[tokio::test]
async fn an_export_has_every_item_once_and_hides_what_it_must() {
    let world = World::new(1).await;
    containers(&world).await;
    fill(&world, "bob", 150).await;
    fill(&world, "alice", 1).await;
    let faults = Faults::new();
    let mut export = erasure(&world.suffering(&faults)).export("bob");
    let mut lines = Vec::new();
    let mut failed = 0;
    loop {
        // Every page fails for good at first, and comes then.
        if faults.pending() == 0 {
            (0..6).for_each(|_| faults.next(Fault::Unavailable));
        }
        match export.next().await {
            Ok(Some(page)) => lines.extend(page.lines().map(str::to_owned)),
            Ok(None) => break,
            Err(_) => {
                failed += 1;
                let page = export.next().await.unwrap().unwrap_or_default();
                lines.extend(page.lines().map(str::to_owned));
            }
        }
    }
    assert!(failed >= 3, "{failed}");
    let items: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(items.len(), 450);
    let mut names: Vec<String> =
        items.iter().map(|line| format!("{} {}", line["container"], line["item"]["id"])).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 450);
    assert!(items.iter().all(|line| line["item"]["userId"] == "bob"));
    assert!(items.iter().all(|line| line["item"].get("_etag").is_none()));
    let text = lines.join("\n");
    assert!(text.contains("…6789") && !text.contains("0123456789"));
}

#[tokio::test]
async fn an_export_of_an_unknown_subject_is_empty() {
    let world = World::new(1).await;
    containers(&world).await;
    assert_eq!(erasure(&world.account).export("nobody").next().await.unwrap(), None);
}
