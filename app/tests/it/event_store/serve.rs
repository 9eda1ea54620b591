//! The service: its demonstration, and what it refuses.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use reqwest::Client;
use serde_json::Value;

use crate::planisphere::{BINARY, planisphere};
use crate::serve::terminate;

#[tokio::test]
async fn the_demonstration_prints_tokens_of_two_tenants() {
    let mut service = Command::new(BINARY)
        .args(["event-store", "serve", "--demo", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(service.stdout.take().unwrap()).lines().map(Result::unwrap);
    let (mut tokens, mut url) = (Vec::new(), String::new());
    for line in lines.by_ref() {
        if let Some((_, token)) = line.split_once("-school: ") {
            tokens.push(token.to_owned());
        }
        if let Some((_, rest)) = line.split_once("Event store at ") {
            url = rest.split('/').take(3).collect::<Vec<_>>().join("/");
        }
        if line == "Ready" {
            break;
        }
    }
    let client = Client::builder().no_proxy().build().unwrap();
    let get = async |token: &str, path: &str| -> Value {
        let request = client.get(format!("{url}{path}")).bearer_auth(token);
        request.send().await.unwrap().json().await.unwrap()
    };
    assert_eq!(tokens.len(), 2);
    for (token, school) in tokens.iter().zip(["north-school", "south-school"]) {
        let events = get(token, "/api/v1/events").await;
        assert_eq!(events["items"].as_array().unwrap().len(), 5);
        let last = events["items"][4]["sortableUniqueId"].as_str().unwrap();
        let path = format!("/api/students?waitForSortableUniqueId={last}");
        assert_eq!(get(token, &path).await["ann"]["name"], format!("ann of {school}"));
    }
    assert_eq!(terminate(service), Some(0));
}

#[test]
fn wrong_settings_are_named() {
    let words = ["event-store", "serve", "--memory", "--port", "0"];
    let wrong = planisphere(words.into_iter().chain([
        "--set",
        "EventStore:Provider=postgres",
        "--set",
        "EventStore:WaitSeconds=0",
    ]));
    assert_eq!(wrong.code, 2);
    for name in ["EventStore:PostgresConnection", "EventStore:WaitSeconds", "Identity:Issuer"] {
        assert!(wrong.err.contains(name), "{name}: {wrong:?}");
    }
}
