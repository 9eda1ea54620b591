//! The operator's commands on a folder.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::planisphere::{BINARY, Said, planisphere};

const LOCKED: &str = "SECURITY_ACCOUNT_LOCKED";
const LIKE: [&str; 6] = ["--type", "POST_LIKE", "--target-id", "p1", "--actor-name", "Alice"];

/// A folder with an empty store.
fn store() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    drop(storage_lsm::LsmStore::open(folder.path(), engine::SPACES, Default::default()).unwrap());
    folder
}

fn on(folder: &Path, words: &[&str]) -> Said {
    planisphere([&["notifications"][..], words, &["--data", folder.to_str().unwrap()]].concat())
}

fn tail(folder: &Path, more: &[&str]) -> String {
    on(folder, &[&["tail", "--all", "--once"][..], more].concat()).succeeded().out
}

#[test]
fn an_event_is_sent_seen_and_erased() {
    let folder = store();
    // Security events ignore quiet hours, so the reason does not depend on the time of day.
    let words = [
        "send",
        "--user",
        "bob",
        "--user",
        "eve",
        "--dispatch",
        "--type",
        LOCKED,
        "--target-id",
        "bob",
    ];
    let said = on(folder.path(), &words).succeeded();
    let sent: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|event| event["status"] == "COMPLETED"), "{sent:?}");

    let lines = tail(folder.path(), &[]);
    let completed = format!("{LOCKED} COMPLETED");
    assert!(lines.contains(&completed) && lines.contains("reason=no_device"), "{lines}");
    assert!(!lines.contains(" bob "), "users are named by their hash: {lines}");
    assert!(tail(folder.path(), &["--show-users"]).contains(" bob "));

    let id = sent[0]["id"].as_str().unwrap();
    let retried = on(folder.path(), &["retry", id]);
    assert!(retried.code == 2 && retried.err.contains("COMPLETED"), "{retried:?}");
    let unknown = on(folder.path(), &["retry", "no-such-event"]);
    assert!(unknown.code == 2 && unknown.err.contains("no-such-event"), "{unknown:?}");
    let none = on(folder.path(), &["retry", "--dead"]).succeeded();
    assert!(none.out.starts_with("0 events"), "{none:?}");

    let unsure = on(folder.path(), &["erase", "bob"]);
    assert!(unsure.code == 2 && unsure.err.contains("--yes"), "{unsure:?}");
    let erased = on(folder.path(), &["erase", "bob", "--yes"]).succeeded();
    let proof: Value = serde_json::from_str(&erased.out).unwrap();
    let containers = proof["containers"].as_array().unwrap();
    let found = |name: &str| {
        let one = containers.iter().find(|container| container["name"] == name).unwrap();
        one["found"].as_u64()
    };
    assert_eq!((found("notification_events"), found("notifications")), (Some(1), Some(1)));
    assert!(!erased.out.contains("bob"), "a proof names nobody");
    let left = tail(folder.path(), &["--show-users"]);
    assert!(left.contains(" eve ") && !left.contains(" bob "), "{left}");
}

#[test]
fn an_event_without_a_worker_waits() {
    let folder = store();
    let said = on(folder.path(), &[&["send", "--user", "bob"][..], &LIKE].concat()).succeeded();
    assert!(said.out.contains("\"PENDING\""), "{said:?}");
    let again = ["send", "--user", "bob", "--idempotency-key", "once"];
    let ids: Vec<String> = (0..2)
        .map(|_| {
            let said = on(folder.path(), &[&again[..], &LIKE].concat()).succeeded();
            let event: Value = serde_json::from_str(&said.out).unwrap();
            event["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn what_is_wrong_with_an_event_is_named() {
    let folder = store();
    let words = ["send", "--user", "bob", "--type", "POST_EATEN", "--target-id", "p1"];
    let said = on(folder.path(), &words);
    assert!(said.code == 2 && said.err.contains("POST_LIKE, POST_COMMENT"), "{said:?}");
    let words = ["send", "--user", "bob", "--type", "POST_LIKE", "--target-id", ""];
    let said = on(folder.path(), &words);
    assert!(said.code == 2 && said.err.contains("payload.targetId: has 0 characters"), "{said:?}");
    let nowhere = folder.path().join("nowhere");
    let said = on(&nowhere, &[&["send", "--user", "bob"][..], &LIKE].concat());
    assert!(said.code == 2 && !nowhere.exists(), "a mistyped folder stays none: {said:?}");
}

#[test]
fn settings_are_told_with_their_source_and_without_secrets() {
    let secret = "a-secret-that-is-long-enough-to-be-one";
    let output = Command::new(BINARY)
        .args(["notifications", "settings", "show", "--set"])
        .arg(format!("Identity:Secret={secret}"))
        .env("NOTIFICATIONS__BATCHSIZE", "7")
        .output()
        .unwrap();
    let said = Said::of(&output).succeeded();
    assert!(!said.out.contains(secret), "{said:?}");
    let line = said.out.lines().find(|line| line.starts_with("Notifications:BatchSize")).unwrap();
    assert!(line.contains(" 7 ") && line.ends_with("NOTIFICATIONS__BATCHSIZE"), "{line}");

    let wrong = ["--set", "Notifications:BatchSize=0", "--set", "Fcm:ProjectId=p"];
    let said = planisphere([&["notifications", "settings", "show"][..], &wrong].concat());
    assert_eq!(said.code, 2);
    for words in ["Notifications:BatchSize", "Fcm:"] {
        assert!(said.err.contains(words), "all mistakes at once: {said:?}");
    }
}
