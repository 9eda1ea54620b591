//! Copies between a folder and a server.

use std::process::{Command, Stdio};

use super::ground::{Ground, sum};
use crate::planisphere::{BINARY, planisphere};
use crate::serve::{start, terminate, text};

#[test]
fn from_a_folder_into_a_server_and_back_under_another_key() {
    let ground = Ground::with(120);
    let (server, ready) = start(&["--memory"]);
    let endpoint = text(&ready, "endpoint");
    let said = ground.copy(&["--to-endpoint", &endpoint, "--to", "shop/orders", "--verify"]);
    assert!(said.succeeded().out.contains("verified: 120 items are equal in source and target"));

    let (checkpoint, back) = (ground.path("back.json"), ground.path("back"));
    let words = ["copy", "--from-connection-string", "env:SOURCE", "--from", "shop/orders"];
    let said = Command::new(BINARY)
        .args(words)
        .args(["--to", "shop/orders-v2", "--partition-key", "/n", "--verify"])
        .args(["--to-data", back.to_str().unwrap(), "--checkpoint", checkpoint.to_str().unwrap()])
        .env("SOURCE", text(&ready, "connectionString"))
        .output();
    let said = crate::planisphere::Said::of(&said.unwrap()).succeeded();
    assert!(said.out.contains("verified: 120 items are equal in source and target"), "{said:?}");
    assert_eq!(terminate(server), Some(0));
    assert_eq!(sum(&back, "orders-v2"), sum(&ground.path("data"), "orders"));
}

#[test]
fn a_copy_that_follows_ends_cleanly_when_asked() {
    let ground = Ground::with(40);
    let (server, ready) = start(&["--memory"]);
    let endpoint = text(&ready, "endpoint");
    let words = ground.words(&["--to-endpoint", &endpoint, "--to", "shop/orders", "--follow"]);
    let child = Command::new(BINARY).args(words).stdout(Stdio::piped()).spawn().unwrap();
    while !ground.checkpoint().exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success() && printed.contains("copied 40 items"), "{printed}");
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn a_place_that_does_not_answer_is_named_without_its_key() {
    let ground = Ground::with(1);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = planisphere([
        "copy",
        "--from-data",
        &ground.data(),
        "--from",
        "shop/orders",
        "--to",
        "shop/orders",
        "--to-connection-string",
        &format!("AccountEndpoint=http://{closed}/;AccountKey=c2VjcmV0;"),
        "--checkpoint",
        ground.checkpoint().to_str().unwrap(),
    ]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains(&closed.to_string()) && !said.err.contains("c2VjcmV0"), "{said:?}");
}
