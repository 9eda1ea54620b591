//! The service: its demonstration, and what it refuses.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use reqwest::Client;
use serde_json::Value;

use crate::planisphere::{BINARY, planisphere};
use crate::serve::terminate;

#[tokio::test]
async fn the_demonstration_has_a_world_and_its_tree() {
    let mut service = Command::new(BINARY)
        .args(["worlds", "serve", "--demo", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(service.stdout.take().unwrap()).lines().map(Result::unwrap);
    let (mut token, mut url) = (String::new(), String::new());
    for line in lines.by_ref() {
        if let Some((_, rest)) = line.split_once("who owns Eldoria: ") {
            token = rest.to_owned();
        }
        if let Some((_, rest)) = line.split_once("Worlds at ") {
            url = rest.split('/').take(3).collect::<Vec<_>>().join("/");
        }
        if line == "Ready" {
            break;
        }
    }
    let client = Client::builder().no_proxy().build().unwrap();
    let get = async |path: &str| -> Value {
        let request = client.get(format!("{url}/api/v1{path}")).bearer_auth(&token);
        request.send().await.unwrap().json().await.unwrap()
    };
    let worlds = get("/worlds").await;
    assert_eq!(worlds["data"][0]["name"], "Eldoria", "{worlds}");
    let id = worlds["data"][0]["id"].as_str().unwrap().to_owned();
    loop {
        let tree = get(&format!("/worlds/{id}/hierarchy")).await;
        if tree["data"]["totalEntities"] == 146 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let found = get(&format!("/worlds/{id}/search?q=silver")).await;
    assert!(found["data"].as_array().unwrap().len() > 1, "{found}");
    assert_eq!(terminate(service), Some(0));
}

#[test]
fn wrong_settings_are_named() {
    let words = ["worlds", "serve", "--memory", "--port", "0"];
    let wrong = planisphere(words.into_iter().chain(["--set", "Worlds:MaxEntities=0"]));
    assert_eq!(wrong.code, 2);
    for name in ["Worlds:MaxEntities", "Identity:Issuer"] {
        assert!(wrong.err.contains(name), "{name}: {wrong:?}");
    }
}
