//! `planisphere report` for a running server and for its last run, and its errors.

use std::path::Path;

use crate::planisphere::{filled, on, planisphere};
use crate::serve::{start, terminate, text};

#[test]
fn the_usage_of_a_running_server_and_of_its_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let data = folder.path().to_str().unwrap();
    let refused = on("report", folder.path());
    refused.refused(
        &folder.path().join("usage.json"),
        "No such file",
        "run a server on this folder",
    );
    let (server, ready) = start(&["--data", data, "--record-traffic"]);
    let endpoint = text(&ready, "endpoint");
    let said = planisphere(["report", "--endpoint", &endpoint]).succeeded();
    assert!(said.out.contains("container bench/items, partition key /partitionKey"), "{said:?}");
    assert!(said.out.contains("needed, autoscale"), "{said:?}");
    let wrong = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let said = planisphere(["report", "--endpoint", &endpoint, "--key", wrong]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("401"), "{said:?}");
    assert_eq!(terminate(server), Some(0));
    let said = planisphere(["report", "--data", data, "--json"]).succeeded();
    let report = model::Json::parse(said.out.trim().as_bytes()).unwrap();
    let containers = report.get("containers").unwrap().as_array().unwrap();
    assert_eq!(containers[0].get("container").unwrap().as_str(), Some("items"));
    let tried = ["report", "--data", data, "--try-partition-key", "/number"];
    let said = planisphere(tried).succeeded();
    assert!(said.out.contains("with the partition key /number"), "{said:?}");
    on("verify", folder.path()).succeeded();
}

#[test]
fn errors_are_printed_in_one_line() {
    let check = |words: &[&str], reason: &str| {
        let said = planisphere([&["report"], words].concat());
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains(reason), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    };
    check(&["--endpoint", "ftp://localhost/"], "URL scheme is not allowed");
    check(&["--try-partition-key", "x"], "'x'");
    check(&["--prices", "missing.json"], "missing.json");
    // A port that nothing listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    check(&["--endpoint", &format!("http://127.0.0.1:{port}")], "refused");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("usage.json");
    std::fs::write(&file, r#"{"format":"other"}"#).unwrap();
    let data = folder.path().to_str().unwrap();
    check(&["--data", data], "planisphere-usage-1");
    std::fs::write(&file, r#"{"format":"planisphere-usage-1","containers":[]}"#).unwrap();
    check(&["--data", data, "--container", "a/b"], "'a/b'");
    assert!(Path::new(data).exists());
}
