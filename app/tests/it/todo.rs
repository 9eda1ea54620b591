//! The example service, run inside the program and against `planisphere serve`: one setting apart.

#[path = "../../../examples/todo.rs"]
#[allow(dead_code, reason = "its `main` is for people")]
mod example;

use example::{Chosen, DEFAULTS, Todos};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use service::http::openapi_mismatches;
use service::settings::SettingsBuilder;
use tokio::net::TcpListener;

use crate::serve::{start, terminate, text};

#[tokio::test]
async fn the_todo_service_runs_inside_the_program() {
    check("memory").await;
}

#[tokio::test]
async fn the_todo_service_runs_against_a_server() {
    let (server, ready) = start(&["--memory"]);
    check(&text(&ready, "connectionString")).await;
    assert_eq!(terminate(server), Some(0));
}

/// The service at a place, used as its callers do.
async fn check(place: &str) {
    let flags = [format!("TodoPlace={place}")];
    let chosen = SettingsBuilder::new()
        .text("the program", DEFAULTS)
        .flags(&flags)
        .load::<Chosen>()
        .unwrap();
    assert!(!chosen.show().contains("AccountKey"), "{}", chosen.show());
    let todos = Todos::open(&chosen.value).await.unwrap();
    assert_eq!(openapi_mismatches(&todos.router(), &[]).await, Vec::<String>::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/todos", listener.local_addr().unwrap());
    let (server, router) = (todos.server.clone(), todos.router());
    let served = tokio::spawn(async move { server.serve_at(listener, router).await });
    let token = |subject: &str| todos.server.identity().demo_issuer().unwrap().token(subject, &[]);
    let ann = Caller { client: Client::new(), token: token("ann"), url };
    let bob = Caller { token: token("bob"), ..ann.clone() };

    let mut stream = ann.get("/events").send().await.unwrap();
    let position = heard(&mut stream, "id: ").await;
    let etag = ann.writes(&position).await;
    ann.pages(&bob).await;
    ann.replaces(&etag).await;
    let received = heard(&mut stream, "event: changed").await;
    assert!(
        received.contains("event: created") && received.contains("\"done\":true"),
        "{received}"
    );

    // The job was never run, so it is due at once.
    assert_eq!(todos.jobs.run_due().await.unwrap(), 1);
    let left = ann.page("?limit=100").await;
    assert_eq!(texts(&left), ["b", "c"]);
    let last = position.trim().strip_prefix("id: ").unwrap().to_owned();
    let again = ann.get("/events").header("last-event-id", last).send();
    let received = heard(&mut again.await.unwrap(), "event: forgotten").await;
    assert_eq!(received.matches("event: created").count(), 3, "{received}");

    // The stream that is still open ends with the service.
    todos.server.shutdown().trigger();
    while stream.chunk().await.unwrap().is_some() {}
    served.await.unwrap().unwrap();
}

#[derive(Clone)]
struct Caller {
    client: Client,
    token: String,
    url: String,
}

impl Caller {
    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    /// Three todos; the etag of the first.
    async fn writes(&self, position: &str) -> (String, String) {
        assert!(!position.is_empty());
        let nobody = self.client.post(&self.url).json(&json!({"text": "a"})).send().await.unwrap();
        assert_eq!(nobody.status(), 401);
        let mut first = None;
        for text in ["a", "b", "c"] {
            let request = self.client.post(&self.url).bearer_auth(&self.token);
            let created = request.json(&json!({ "text": text })).send().await.unwrap();
            assert_eq!(created.status(), 200);
            let etag = created.headers()["etag"].to_str().unwrap().to_owned();
            let todo: Value = created.json().await.unwrap();
            first.get_or_insert((todo["id"].as_str().unwrap().to_owned(), etag));
        }
        first.unwrap()
    }

    async fn page(&self, query: &str) -> Value {
        let page = self.get(query).send().await.unwrap();
        assert_eq!(page.status(), 200);
        page.json().await.unwrap()
    }

    async fn pages(&self, other: &Self) {
        let mut found = Vec::new();
        let mut query = "?limit=2".to_owned();
        loop {
            let page = self.page(&query).await;
            found.extend(texts(&page));
            let Some(cursor) = page["cursor"].as_str() else { break };
            query = format!("?limit=2&cursor={cursor}");
            let stolen = other.get(&query).send().await.unwrap();
            assert_eq!(stolen.status(), 400);
            assert_eq!(stolen.json::<Value>().await.unwrap()["code"], "invalid_cursor");
        }
        assert_eq!(found, ["a", "b", "c"]);
        assert_eq!(texts(&other.page("").await), [""; 0]);
        assert_eq!(self.get("?limit=101").send().await.unwrap().status(), 400);
    }

    async fn replaces(&self, (id, etag): &(String, String)) {
        let put = async |condition: Option<&str>| {
            let request = self.client.put(format!("{}/{id}", self.url)).bearer_auth(&self.token);
            let request = request.json(&json!({"text": "a", "done": true}));
            let request = condition
                .into_iter()
                .fold(request, |request, etag| request.header("if-match", etag));
            request.send().await.unwrap().status().as_u16()
        };
        assert_eq!(put(None).await, 428);
        assert_eq!(put(Some(etag)).await, 200);
        assert_eq!(put(Some(etag)).await, 412);
    }
}

fn texts(page: &Value) -> Vec<String> {
    let todos = page["todos"].as_array().unwrap();
    todos.iter().map(|todo| todo["text"].as_str().unwrap().to_owned()).collect()
}

/// What a stream sends until it contains `word`.
async fn heard(stream: &mut Response, word: &str) -> String {
    let mut received = String::new();
    while !received.contains(word) {
        let chunk = stream.chunk().await.unwrap().expect("the stream goes on");
        received.push_str(&String::from_utf8_lossy(&chunk));
    }
    received
}
