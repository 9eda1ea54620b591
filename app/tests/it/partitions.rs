//! `planisphere partitions` on a folder and on a running server; `serve --auto-split`; splits that a higher throughput
//! causes.

use std::path::Path;

use model::Json;

use crate::planisphere::{filled, on, planisphere};
use crate::serve::{start, terminate, text};

fn listed(words: &[&str], place: &[&str]) -> Vec<Json> {
    let said = planisphere([&["partitions"], words, &["--json"], place].concat()).succeeded();
    let document = Json::parse(said.out.trim().as_bytes()).unwrap();
    document.get("partitions").unwrap().as_array().unwrap().to_vec()
}

fn numbers(partitions: &[Json]) -> Vec<i64> {
    partitions.iter().map(|one| one.get("number").unwrap().as_i64().unwrap()).collect()
}

fn items(partitions: &[Json]) -> i64 {
    partitions.iter().map(|one| one.get("items").unwrap().as_i64().unwrap()).sum()
}

#[test]
fn partitions_of_a_folder_and_of_a_server_are_split_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let data = folder.path().to_str().unwrap();
    let closed = ["--data", data];
    let at = "0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF";
    let split = listed(&["split", "bench/items", "0", "--at", at], &closed);
    assert_eq!(numbers(&split), [1, 2]);
    assert_eq!(split[0].get("max").unwrap().as_str(), Some(at));
    assert_eq!(items(&split), 300);
    on("verify", folder.path()).succeeded();
    let (server, ready) = start(&["--data", data]);
    let endpoint = text(&ready, "endpoint");
    let running = ["--endpoint", &endpoint];
    assert_eq!(numbers(&listed(&["split", "bench/items", "2"], &running)), [1, 3, 4]);
    assert_eq!(numbers(&listed(&["merge", "bench/items", "1", "3"], &running)), [5, 4]);
    let said = planisphere(["partitions", "list", "bench/items", "--endpoint", &endpoint]);
    let said = said.succeeded();
    assert!(said.out.starts_with("container bench/items, 2 physical partitions\n"), "{said:?}");
    assert!(said.out.contains("after 0, 1, 2, 3"), "{said:?}");
    for (words, reason) in [
        (["split", "bench/items", "9"].as_slice(), "410"),
        (&["merge", "bench/items", "5", "9"], "410"),
        (&["list", "bench/none"], "404"),
    ] {
        let said = planisphere([&["partitions"], words, &running].concat());
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains(reason) && said.err.lines().count() == 1, "{said:?}");
    }
    assert_eq!(terminate(server), Some(0));
    assert_eq!(items(&listed(&["list", "bench/items"], &closed)), 300);
    let refused = planisphere(["partitions", "split", "bench/items", "9", "--data", data]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("physical partition 9"), "{refused:?}");
    on("verify", folder.path()).succeeded();
    assert!(Path::new(data).exists());
}

#[test]
fn auto_split_is_a_flag_of_the_server() {
    let (server, _) = start(&["--memory", "--auto-split", "--auto-split-gb", "1"]);
    assert_eq!(terminate(server), Some(0));
    let said = planisphere(["serve", "--memory", "--auto-split-ru", "5"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("--auto-split"), "{said:?}");
}
