//! Commands that need no service: seed, users, rooms, erase, export, playbooks, schema, settings, budget.

use std::path::Path;

use serde_json::Value;

use crate::planisphere::{Said, planisphere};

fn chat(words: &[&str]) -> Said {
    planisphere([&["chat"][..], words].concat())
}

fn on(folder: &Path, words: &[&str]) -> Said {
    chat(&[words, &["--data", folder.to_str().unwrap()]].concat())
}

#[test]
fn a_folder_is_seeded_administered_and_a_user_erased() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let seeded = on(&data, &["seed"]).succeeded();
    assert!(seeded.out.contains("3 rooms and 3 users added"), "{seeded:?}");
    let again = on(&data, &["seed"]).succeeded();
    assert!(again.out.contains("0 rooms and 0 users added"), "{again:?}");
    on(&data, &["rooms", "add", "news"]).succeeded();
    let add = ["users", "add", "dora", "--email", "dora@example.com", "--room", "news"];
    on(&data, &add).succeeded();
    let doubled = on(&data, &add);
    assert!(doubled.code == 2 && doubled.err.contains("'dora'"), "{doubled:?}");
    on(&data, &["users", "rooms", "dora", "--room", "news", "--room", "general"]).succeeded();
    on(&data, &["users", "disable", "dora"]).succeeded();
    let users = on(&data, &["users", "list", "--without-upn"]).succeeded();
    assert!(users.out.contains("dora  disabled  -  news, general"), "{users:?}");
    let rooms = on(&data, &["rooms", "list"]).succeeded();
    assert!(rooms.out.contains("news  -  dora"), "{rooms:?}");
    let repaired = on(&data, &["rooms", "repair"]).succeeded();
    assert!(repaired.out.contains("0 rooms changed"), "{repaired:?}");
    let exported = on(&data, &["export", "dora"]).succeeded();
    assert!(exported.out.contains("dora@example.com"), "{exported:?}");
    let unsure = on(&data, &["erase", "dora"]);
    assert!(unsure.code == 2 && unsure.err.contains("--yes"), "{unsure:?}");
    let certificate = on(&data, &["erase", "dora", "--yes"]).succeeded();
    assert!(!certificate.out.contains("dora"), "a certificate names nobody: {certificate:?}");
    let users = on(&data, &["users", "list"]).succeeded();
    assert!(!users.out.contains("dora"), "{users:?}");
    on(&data, &["rooms", "export", "general"]).succeeded();
}

#[test]
fn playbooks_say_what_they_would_do() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    on(&data, &["seed"]).succeeded();
    let ttl = ["playbook", "introduce-ttl", "--seconds", "60"];
    let plan = on(&data, &ttl).succeeded();
    assert!(plan.out.contains("Together: 0") && plan.out.contains("--apply"), "{plan:?}");
    let applied = on(&data, &[&ttl[..], &["--apply"]].concat()).succeeded();
    assert!(applied.out.contains("Cosmos:MessagesTtlSeconds=60"), "{applied:?}");
    let indexing = ["playbook", "indexing", "--to", "without-readers"];
    let plan = on(&data, &indexing).succeeded();
    assert!(plan.out.contains("/readBy/*") && plan.out.contains("Nothing was changed"), "{plan:?}");
    on(&data, &[&indexing[..], &["--apply"]].concat()).succeeded();
    let same = on(&data, &indexing).succeeded();
    assert!(same.out.contains("It is so already"), "{same:?}");
    let checkpoint = folder.path().join("at.json");
    let moved = ["playbook", "hierarchical-key", "--checkpoint", checkpoint.to_str().unwrap()];
    let moved = on(&data, &moved).succeeded();
    assert!(moved.out.contains("Cosmos:MessagesTenant=default"), "{moved:?}");
    let pepper = chat(&["playbook", "rotate-pepper"]).succeeded();
    assert!(pepper.out.contains("Otp:PreviousPepper"), "{pepper:?}");
}

#[test]
fn the_schema_and_the_settings_are_printed_without_secrets() {
    let schema = chat(&["schema", "export", "--to", "arm", "--stage", "dev"]).succeeded();
    for name in ["messages", "/roomName", "/userName", "chat_state", "1000"] {
        assert!(schema.out.contains(name), "{name}: {}", schema.out);
    }
    let set = [
        "settings",
        "show",
        "--set",
        "Redis:ConnectionString=hush:1",
        "--set",
        "Chat:Admins:0=ann",
    ];
    let shown = chat(&set).succeeded();
    assert!(shown.out.contains("Cosmos:MessagesTtlSeconds"), "{shown:?}");
    assert!(!shown.out.contains("hush"), "{shown:?}");
    let wrong = chat(&["serve", "--memory", "--port", "0", "--set", "Cosmos:MessagesTtlSeconds=0"]);
    assert!(wrong.code == 2 && wrong.err.contains("Cosmos:MessagesTtlSeconds"), "{wrong:?}");
    assert!(wrong.err.contains("Otp:Pepper"), "{wrong:?}");
}

#[test]
fn every_operation_is_within_twice_its_budget() {
    let budget = chat(&["budget", "--json"]).succeeded();
    let rows: Vec<Value> =
        budget.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 15, "{budget:?}");
    for row in &rows {
        assert!(row["azure"].as_f64().is_some() && row["native"].as_f64().is_some(), "{row}");
    }
}
