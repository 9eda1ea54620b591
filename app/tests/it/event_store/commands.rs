//! Commands that need no service: import, export, tail, tags, projections, tenants, repair.

use std::path::Path;

use crate::planisphere::{Said, filled, planisphere};

fn on(folder: &Path, words: &[&str]) -> Said {
    let data = ["--data", folder.to_str().unwrap()];
    planisphere([&["event-store"][..], words, &data].concat())
}

fn lines() -> String {
    let line = |number: u32, name: &str, payload: &str, tags: &str| {
        format!(
            "{{\"id\":\"00000000-0000-4000-8000-{number:012}\",\
             \"sortableUniqueId\":\"{number:030}\",\"eventType\":\"{name}\",\
             \"payload\":{payload},\"tags\":{tags},\"timestamp\":\"2026-01-05T10:00:00.000Z\"}}\n"
        )
    };
    let student = r#"{"studentId":"s1","name":"Ann","maxClassCount":2}"#;
    let room = r#"{"classRoomId":"c1","name":"Biology","maxStudents":2}"#;
    line(1, "StudentCreated", student, r#"["Student:s1"]"#)
        + &line(2, "ClassRoomCreated", room, r#"["ClassRoom:c1"]"#)
}

#[test]
fn a_tenant_is_imported_looked_at_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    filled(&data);
    let file = folder.path().join("events.jsonl");
    std::fs::write(&file, lines()).unwrap();
    let import = ["import", file.to_str().unwrap(), "--service", "north"];
    let first = on(&data, &import).succeeded();
    assert!(first.out.contains("2 events added, 0 existed"), "{first:?}");
    let second = on(&data, &import).succeeded();
    assert!(second.out.contains("0 events added, 2 existed"), "{second:?}");
    let status = on(&data, &["status"]).succeeded();
    assert!(status.out.contains("north: 2 events, 2 tags, 0 states"), "{status:?}");
    let tail = on(&data, &["events", "tail", "--service", "north", "--last", "1"]).succeeded();
    assert!(tail.out.contains("ClassRoomCreated") && tail.out.lines().count() == 1, "{tail:?}");
    let tags = on(&data, &["tags", "list", "--service", "north", "--group", "Student"]).succeeded();
    assert!(tags.out.starts_with("Student:s1  1 events"), "{tags:?}");
    let built = on(&data, &["project", "rebuild", "School", "--service", "north"]).succeeded();
    assert!(built.out.contains("School version 1: 2 events"), "{built:?}");
    let states = on(&data, &["project", "status", "--service", "north"]).succeeded();
    assert!(states.out.contains("School version 1"), "{states:?}");
    let unknown = on(&data, &["project", "build", "Nothing", "--service", "north"]);
    assert!(unknown.code == 2 && unknown.err.contains("School"), "{unknown:?}");
    let repaired = on(&data, &["repair", "--dry-run"]).succeeded();
    assert!(repaired.out.contains("2 tags checked; to do: 0 completed"), "{repaired:?}");
    let exported = on(&data, &["tenant", "export", "north"]).succeeded();
    assert_eq!(exported.out.lines().count(), 2);
    let unsure = on(&data, &["tenant", "drop", "north"]);
    assert!(unsure.code == 2 && unsure.err.contains("--yes"), "{unsure:?}");
    on(&data, &["tenant", "drop", "north", "--yes"]).succeeded();
    assert_eq!(on(&data, &["tenant", "list"]).succeeded().out, "");
    let wrong = on(&data, &["tenant", "stats", "a_b"]);
    assert!(wrong.code == 2 && wrong.err.contains("digits and '-'"), "{wrong:?}");
}

#[test]
fn old_containers_are_copied_verified_and_switched() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    filled(&data);
    let file = folder.path().join("events.jsonl");
    std::fs::write(&file, lines()).unwrap();
    let legacy = ["--set", "EventStore:Account:UseLegacyPartitionKeyPaths=true"];
    on(&data, &[&["import", file.to_str().unwrap()][..], &legacy].concat()).succeeded();
    let checkpoint = folder.path().join("at");
    let target = ["--to-database", "tenants", "--to-service", "acme"];
    let verify = || on(&data, &[&["migrate", "verify"][..], &target].concat());
    let dry = on(&data, &[&["migrate", "copy", "--dry-run"][..], &target].concat()).succeeded();
    assert!(dry.out.contains("events: 2 of 2 items would be written"), "{dry:?}");
    assert_eq!(verify().code, 1, "nothing is copied yet");
    let copy = ["migrate", "copy", "--checkpoint", checkpoint.to_str().unwrap()];
    let copied = on(&data, &[&copy[..], &target].concat()).succeeded();
    assert!(copied.out.contains("events: 2 items written"), "{copied:?}");
    let again = on(&data, &[&copy[..], &target].concat()).succeeded();
    assert!(again.out.contains("events: 0 items written"), "{again:?}");
    verify().succeeded();
    let switched = on(&data, &[&["migrate", "switch"][..], &target].concat()).succeeded();
    assert!(switched.out.contains("Database = \"tenants\""), "{switched:?}");
    let tags =
        ["tags", "list", "--service", "acme", "--set", "EventStore:Account:Database=tenants"];
    let tags = on(&data, &tags).succeeded();
    assert_eq!(tags.out.lines().count(), 2, "{tags:?}");
}

/// Those above twice the figure of the requirements, which count no heads and no reservations (DC-X9).
const OVER: [&str; 3] = [
    "append an event with a new tag",
    "append an event with a tag",
    "append an event with three tags",
];

#[test]
fn every_operation_is_measured_and_judged() {
    let said = planisphere(["event-store", "budget", "--json"]);
    let rows: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 16);
    let over = rows.iter().filter(|row| row["mark"] == "**");
    let over: Vec<_> = over.map(|row| row["operation"].as_str().unwrap()).collect();
    assert_eq!((said.code, over.as_slice()), (1, OVER.as_slice()), "{said:?}");
    for row in &rows {
        let (azure, native) = (row["azure"].as_f64().unwrap(), row["native"].as_f64().unwrap());
        assert!(native > 0.0 && native <= azure + 0.005, "{row}");
    }
}

#[test]
fn a_load_of_tenants_finds_no_leak() {
    let words = ["event-store", "load", "--tenants", "3", "--writers", "2", "--seconds", "1"];
    let said = planisphere(words).succeeded();
    assert!(said.out.contains(", 0 violations"), "{said:?}");
}
