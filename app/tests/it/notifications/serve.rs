//! The service: its demonstration, what it refuses, how it ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use axum::Router;
use axum::routing::post;
use reqwest::Client;
use reqwest::header::{COOKIE, HeaderMap, SET_COOKIE};
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::planisphere::{BINARY, planisphere};
use crate::serve::terminate;

fn start(words: &[&str]) -> (Child, Value) {
    let mut service = Command::new(BINARY)
        .args(["notifications", "serve", "--port", "0", "--ready-json"])
        .args(words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(service.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let started: Value = serde_json::from_str(&line).unwrap();
    (service, started["ready"].clone())
}

/// A browser of somebody who followed their link.
struct Visitor {
    client: Client,
    url: String,
    cookies: String,
    csrf: String,
}

impl Visitor {
    async fn enter(ready: &Value, name: &str) -> Self {
        let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        let link = ready["signIn"][name].as_str().unwrap();
        let entered = client.get(link).send().await.unwrap();
        assert_eq!(entered.status().as_u16(), 303);
        let cookies = cookies(entered.headers());
        let url = ready["endpoint"].as_str().unwrap().trim_end_matches('/').to_owned();
        let again = client.get(link).send().await.unwrap();
        assert_eq!(again.status().as_u16(), 401, "a link works once");
        let mut visitor = Self { client, url, cookies, csrf: String::new() };
        let session = visitor.get("/session").await;
        assert_eq!(session["subject"], name);
        session["csrfToken"].as_str().unwrap().clone_into(&mut visitor.csrf);
        visitor
    }

    async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}{path}", self.url)).header(COOKIE, &self.cookies);
        request.send().await.unwrap().json().await.unwrap()
    }

    async fn stream(&self) -> reqwest::Response {
        let url = format!("{}/api/notifications/stream", self.url);
        self.client.get(url).header(COOKIE, &self.cookies).send().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value, csrf: &str) -> u16 {
        let request = self.client.post(format!("{}{path}", self.url)).json(body);
        let request = request.header(COOKIE, &self.cookies).header("x-csrf-token", csrf);
        request.send().await.unwrap().status().as_u16()
    }

    /// The titles of the list, once it has this many.
    async fn titles(&self, least: usize) -> Vec<String> {
        loop {
            let page = self.get("/api/notifications?limit=100").await;
            let listed = page["notifications"].as_array().unwrap();
            if listed.len() >= least {
                let title = |one: &Value| one["title"].as_str().unwrap().to_owned();
                return listed.iter().map(title).collect();
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    }
}

fn cookies(headers: &HeaderMap) -> String {
    let lines = headers.get_all(SET_COOKIE).iter().map(|line| line.to_str().unwrap());
    lines.map(|line| line.split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn the_demonstration_signs_in_lists_and_sends() {
    let (service, ready) = start(&["--demo"]);
    assert_eq!(ready["data"], "memory");
    let bob = Visitor::enter(&ready, "bob").await;
    let titles = bob.titles(37).await;
    assert!(titles.iter().any(|title| title == "Alice and 2 others liked your post"), "{titles:?}");
    let event = json!({ "userId": "alice", "eventType": "POST_LIKE",
        "payload": { "actorName": "Bob", "targetId": "x", "targetType": "post" } });
    let path = "/api/notifications/send";
    assert_eq!(bob.post(path, &event, "").await, 403, "another site could have sent it");
    assert_eq!(bob.post(path, &event, &bob.csrf).await, 202);
    let alice = Visitor::enter(&ready, "alice").await;
    assert_eq!(alice.titles(2).await.len(), 2);
    assert_eq!(alice.post(path, &event, &alice.csrf).await, 403, "she has not the role");
    let page = bob.client.get(&bob.url).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("'none'"));
    assert!(page.text().await.unwrap().contains("/page/main.js"));
    assert_eq!(terminate(service), Some(0));
}

#[tokio::test]
async fn a_folder_keeps_everything_and_the_demonstration_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for _ in 0..2 {
        let (service, ready) = start(&["--demo", "--data", data.to_str().unwrap()]);
        let bob = Visitor::enter(&ready, "bob").await;
        assert_eq!(bob.titles(37).await.len(), 37);
        assert_eq!(terminate(service), Some(0));
    }
}

/// The data of the next event of a stream that has this text in it.
async fn received(stream: &mut reqwest::Response, words: &[&str]) -> String {
    let mut text = String::new();
    loop {
        let chunk = stream.chunk().await.unwrap().expect("the stream goes on");
        text.push_str(std::str::from_utf8(&chunk).unwrap());
        let events = text.split("\n\n").map(str::to_owned).collect::<Vec<_>>();
        let found = events.iter().find(|event| words.iter().all(|word| event.contains(word)));
        if let Some(event) = found {
            return event.clone();
        }
    }
}

#[tokio::test]
async fn a_stream_of_one_process_tells_what_another_one_wrote() {
    let (server, at) = crate::serve::start(&["--memory"]);
    let endpoint = crate::serve::text(&at, "endpoint");
    let poll = "Notifications:StreamPollMilliseconds=50";
    let process = || start(&["--demo", "--endpoint", &endpoint, "--set", poll]);
    let ((first, first_ready), (second, second_ready)) = (process(), process());
    let listening = Visitor::enter(&first_ready, "bob").await;
    let writing = Visitor::enter(&second_ready, "bob").await;
    writing.titles(37).await;
    let mut stream = listening.stream().await;
    received(&mut stream, &["event: unread", "unreadCount"]).await;
    let listed = writing.get("/api/notifications?limit=1").await;
    let id = listed["notifications"][0]["id"].as_str().unwrap();
    let path = format!("/api/notifications/{id}/read");
    assert_eq!(writing.post(&path, &json!({}), &writing.csrf).await, 200);
    let event = received(&mut stream, &["event: updated", id]).await;
    assert!(event.contains("\"read\":true"), "{event}");
    let erase = format!("{}/api/privacy/users/bob", writing.url);
    let request = writing.client.delete(erase).header(COOKIE, &writing.cookies);
    let erased = request.header("x-csrf-token", &writing.csrf).send().await.unwrap();
    assert_eq!(erased.status().as_u16(), 202);
    received(&mut stream, &["event: changed"]).await;
    drop(stream);
    for process in [first, second, server] {
        assert_eq!(terminate(process), Some(0));
    }
}

#[test]
fn a_service_must_know_whom_to_believe() {
    let said = planisphere(["notifications", "serve", "--memory", "--port", "0"]);
    assert_eq!(said.code, 2);
    for name in ["Identity:Issuer", "Identity:Audience", "Identity:Jwks"] {
        assert!(said.err.contains(name), "{said:?}");
    }
}

#[test]
fn a_demonstration_stays_on_this_machine() {
    for words in [&["--demo"][..], &["--memory", "--set", "Identity:Mode=demo"]] {
        let base = ["notifications", "serve", "--port", "0", "--host", "0.0.0.0"];
        let said = planisphere([&base[..], words].concat());
        assert!(said.code == 2 && said.err.contains("--allow-remote-demo"), "{said:?}");
    }
}

#[tokio::test]
async fn data_calls_are_told_to_a_collector_and_at_metrics() {
    let (heard, mut traces) = mpsc::unbounded_channel();
    let collector = Router::new()
        .route("/v1/traces", post(async move |body: String| drop(heard.send(body))))
        .route("/v1/metrics", post(async || ()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("Telemetry:OtlpEndpoint=http://{}", listener.local_addr().unwrap());
    let collecting = tokio::spawn(axum::serve(listener, collector).into_future());
    let (service, ready) =
        start(&["--demo", "--set", &endpoint, "--set", "Telemetry:ExportSeconds=1"]);
    let spans = traces.recv().await.unwrap();
    for words in ["\"notifications\"", "data calls", "request_charge", "notification_events"] {
        assert!(spans.contains(words), "{words} is not in {spans}");
    }
    let url = format!("{}metrics", ready["endpoint"].as_str().unwrap());
    let metrics = reqwest::get(url).await.unwrap().text().await.unwrap();
    assert!(metrics.contains("data_calls_total{container=\"notification_events\""), "{metrics}");
    assert!(!metrics.contains("bob"), "a user is no label: {metrics}");
    assert_eq!(terminate(service), Some(0));
    collecting.abort();
}

#[test]
fn a_collector_needs_an_address() {
    let wrong = "Telemetry:OtlpEndpoint=localhost:4318";
    let base = ["notifications", "serve", "--demo", "--port", "0", "--set", wrong];
    let said = planisphere(base);
    assert!(said.code == 2 && said.err.contains("Telemetry:OtlpEndpoint"), "{said:?}");
}
