//! The service: its demonstration, what it refuses, how it ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use reqwest::Client;
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::planisphere::{BINARY, planisphere};
use crate::serve::terminate;

fn start(words: &[&str]) -> (Child, Value) {
    let mut service = Command::new(BINARY)
        .args(["chat", "serve", "--port", "0", "--ready-json"])
        .args(words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(service.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let started: Value = serde_json::from_str(&line).unwrap();
    (service, started["ready"].clone())
}

#[tokio::test]
async fn the_demonstration_signs_two_people_in() {
    let (service, ready) = start(&["--demo"]);
    let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    let url = ready["endpoint"].as_str().unwrap().trim_end_matches('/');
    for (name, rooms) in [("alice@example.com", 2), ("bob@example.com", 2)] {
        let entered = client.get(ready["signIn"][name].as_str().unwrap()).send().await.unwrap();
        assert_eq!(entered.status().as_u16(), 303);
        let cookies: Vec<&str> = entered
            .headers()
            .get_all("set-cookie")
            .iter()
            .map(|line| line.to_str().unwrap().split(';').next().unwrap())
            .collect();
        let cookies = cookies.join("; ");
        let get = async |path: &str| -> Value {
            let request = client.get(format!("{url}{path}")).header("cookie", &cookies);
            request.send().await.unwrap().json().await.unwrap()
        };
        assert_eq!(get("/api/auth/me").await["userName"], name);
        assert_eq!(get("/api/rooms").await.as_array().unwrap().len(), rooms);
        assert_eq!(get("/api/messages/room/general").await.as_array().unwrap().len(), 3);
        let negotiated = client.post(format!("{url}/chatHub/negotiate?negotiateVersion=1"));
        let negotiated = negotiated.header("cookie", &cookies).send().await.unwrap();
        assert_eq!(negotiated.status().as_u16(), 200);
    }
    assert_eq!(terminate(service), Some(0));
}

#[test]
fn ch_a2_a_missing_container_ends_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let set = ["--set", "Cosmos:AutoCreate=false", "--set", "Chat:Development=true"];
    let words = ["chat", "serve", "--port", "0", "--data", data.to_str().unwrap()];
    let refused = planisphere([&words[..], &set].concat());
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("/roomName") && refused.err.contains("'messages'"), "{refused:?}");
}
