//! A disk that is full, from the user's side. A limit on file sizes stands in for it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use client::{Account, PartitionKey, PartitionKeyDefinition};
use model::{Json, Object};

use crate::planisphere::{BINARY, Said, on};
use crate::serve::{get, start_with, terminate, text};

/// Runs a benchmark that keeps its store, in a process that may write files of so many KiB.
fn bench_with_limit(folder: &Path, limit_kib: u32) -> Said {
    let words = "bench --items 100000 --item-bytes 16000 --seconds 1 --keep --data";
    let script = format!("ulimit -f {limit_kib}; trap '' XFSZ; exec \"$0\" {words} \"$1\"");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script, BINARY]).arg(folder);
    Said::of(&bash.output().expect("bash is there to set the limit"))
}

#[test]
fn no_room_for_a_store_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let said = bench_with_limit(&store, 1000);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains(&store.display().to_string()), "{said:?}");
}

#[test]
fn a_disk_that_fills_up_stops_the_writes_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // The journal is created with 64 MiB.
    let said = bench_with_limit(&store, 66 * 1024);
    said.refused(&store, "was not acknowledged", "ree space");
    let verified = on("verify", &store).succeeded();
    assert!(verified.out.contains("consistent: "), "{verified:?}");
}

/// Changes the size that files of a running process may reach, without a restart.
fn limit_files(process: u32, limit: &str) {
    let arguments = ["--pid".to_owned(), process.to_string(), format!("--fsize={limit}:")];
    let limited = Command::new("prlimit").args(arguments).status();
    assert!(limited.expect("prlimit sets the limit").success());
}

fn large_item(number: usize) -> Json {
    let mut item = Object::new();
    item.insert("id", format!("i{number}"));
    item.insert("key", "k");
    item.insert("text", "x".repeat(300_000));
    Json::Object(item)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_not_ready_while_its_disk_is_full_and_resumes_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let (server, ready) = start_with(&[], |command| {
        // Without the signal, a write beyond the limit fails as one to a full disk does.
        let script = "trap '' XFSZ; exec \"$0\" serve --port 0 --ready-json --data \"$1\"";
        *command = Command::new("bash");
        command.args(["-c", script, BINARY, data]);
    });
    let endpoint = text(&ready, "endpoint");
    let account = Account::connect(text(&ready, "connectionString")).await.unwrap();
    let database = account.database("full").unwrap();
    database.create_if_missing(None).await.unwrap();
    let items = database.container("items").unwrap();
    let key = PartitionKeyDefinition::single("/key").unwrap();
    items.create_if_missing(items.properties(key), None).await.unwrap();
    let key = PartitionKey::from("k");
    assert!(get(&endpoint, "/ready").starts_with("HTTP/1.1 200"));
    limit_files(server.id(), "2000000");
    let mut written = 0;
    while get(&endpoint, "/ready").starts_with("HTTP/1.1 200") {
        assert!(written < 100, "the limit was never reached");
        // The client repeats what a server that is not ready refuses; the rest of that is not of interest here.
        let item = large_item(written);
        let write = tokio::time::timeout(Duration::from_secs(2), items.upsert(&key, &item, None));
        written += usize::from(write.await.is_ok_and(|answer| answer.is_ok()));
    }
    assert!(written > 0);
    let answer = get(&endpoint, "/ready");
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("read-only") && answer.contains("reason"), "{answer}");
    assert!(get(&endpoint, "/alive").starts_with("HTTP/1.1 200"), "a restart would not help");
    items.read::<Json>(&key, "i0").await.expect("reads are served");
    limit_files(server.id(), "unlimited");
    // The store tries again after at most 8 s; the rest is patience with a slow machine.
    for attempt in 0.. {
        let answer = get(&endpoint, "/ready");
        if answer.starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(attempt < 1_200, "writing does not resume: {answer}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    items.upsert(&key, &large_item(written), None).await.expect("writes are accepted again");
    for number in 0..=written {
        items
            .read::<Json>(&key, &format!("i{number}"))
            .await
            .expect("nothing acknowledged is lost");
    }
    account.close().await.unwrap();
    assert_eq!(terminate(server), Some(0));
    on("verify", Path::new(data)).succeeded();
}
