//! A small client that signs requests and reads responses without an HTTP library.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::{Engine, EngineSettings, Environment, TravellingClock};
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use model::{Json, TimestampMs};
use ring::hmac;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Saturday, 10 October 2026, 09:01:55.
pub(crate) const NOW_SECONDS: u64 = 1_791_622_915;
pub(crate) const DATE: &str = "Sat, 10 Oct 2026 09:01:55 GMT";

/// A gateway on a free port with a clock that does not move.
pub(crate) struct Server {
    pub(crate) address: String,
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) engine: Engine,
    stop: Option<oneshot::Sender<()>>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut GatewaySettings)) -> Self {
        let clock = TravellingClock::starting_at(TimestampMs(NOW_SECONDS * 1000));
        let environment = Environment::simulated(Arc::clone(&clock), 7)
            .with_scripts(Arc::new(javascript::JavaScript::new()));
        let store = Arc::new(storage::memory::MemoryStore::new());
        let engine = Engine::open(store, environment, EngineSettings::default()).await.unwrap();
        let mut settings = GatewaySettings::default();
        change(&mut settings);
        let gateway = Gateway::new(engine.clone(), settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            gateway.serve(listener, async { drop(stopped.await) }).await;
        });
        Self { address, clock, engine, stop: Some(stop) }
    }

    /// A server with the database `d` and the container `c` on `/pk`.
    pub(crate) async fn with_container() -> Self {
        let server = Self::start().await;
        server.create_container().await;
        server
    }

    /// Creates the container `d/c`.
    async fn create_container(&self) {
        self.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
        let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
        self.post("/dbs/d/colls", body).send().await.expect(201);
    }

    /// Creates the container `d/c` with the item `a` of 1.5 MB: more than the buffers of a connection hold.
    pub(crate) async fn create_large_item(&self) {
        self.create_container().await;
        let item = format!(r#"{{"id":"a","pk":"x","long":"{}"}}"#, "x".repeat(1_500_000));
        let call = self.post("/dbs/d/colls/c/docs", &item).key(r#"["x"]"#);
        call.send().await.expect(201);
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call("GET", path, "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Call<'_> {
        self.call("POST", path, body)
    }

    pub(crate) fn put(&self, path: &str, body: &str) -> Call<'_> {
        self.call("PUT", path, body)
    }

    pub(crate) fn patch(&self, path: &str, body: &str) -> Call<'_> {
        self.call("PATCH", path, body)
    }

    pub(crate) fn delete(&self, path: &str) -> Call<'_> {
        self.call("DELETE", path, "")
    }

    pub(crate) fn call(&self, verb: &str, path: &str, body: &str) -> Call<'_> {
        let headers = vec![
            ("host".to_owned(), self.address.clone()),
            ("x-ms-version".to_owned(), "2020-07-15".to_owned()),
        ];
        let (verb, path) = (verb.to_owned(), path.to_owned());
        Call { server: self, verb, path, headers, body: body.as_bytes().to_vec(), signed: true }
    }
}

/// A request under construction.
pub(crate) struct Call<'a> {
    server: &'a Server,
    verb: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    signed: bool,
}

impl Call<'_> {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn key(self, value: &str) -> Self {
        self.with("x-ms-documentdb-partitionkey", value)
    }

    pub(crate) fn bytes(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn unsigned(mut self) -> Self {
        self.signed = false;
        self
    }

    pub(crate) async fn send(mut self) -> Answer {
        if self.signed {
            let authorization = sign(&self.verb, &self.path, DATE, EMULATOR_KEY);
            self.headers.push(("x-ms-date".to_owned(), DATE.to_owned()));
            self.headers.push(("authorization".to_owned(), authorization));
        }
        let mut request = format!("{} {} HTTP/1.1\r\n", self.verb, self.path);
        for (name, value) in &self.headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("content-length: {}\r\nconnection: close\r\n\r\n", self.body.len());
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(&self.body);
        exchange(&self.server.address, &bytes).await
    }
}

/// Sends bytes and reads one response until the connection is closed.
pub(crate) async fn exchange(address: &str, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut received = Vec::new();
    // A server that closes while we still send resets the connection; what it said before counts.
    let _ = stream.read_to_end(&mut received).await;
    Answer::parse(&received)
}

/// The authorization header of a request.
pub(crate) fn sign(verb: &str, path: &str, date: &str, key: &str) -> String {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let (kind, link) = match segments.as_slice() {
        [] => ("", String::new()),
        ["offers", id] => ("offers", id.to_lowercase()),
        [parent @ .., "operations", _] => ("colls", parent.join("/")),
        all if all.len() % 2 == 0 => (all[all.len() - 2], all.join("/")),
        [parent @ .., last] => (*last, parent.join("/")),
    };
    let link = link.replace("%20", " ");
    sign_link(verb, kind, &link, date, key)
}

pub(crate) fn sign_link(verb: &str, kind: &str, link: &str, date: &str, key: &str) -> String {
    let payload = format!("{}\n{kind}\n{link}\n{}\n\n", verb.to_lowercase(), date.to_lowercase());
    let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(key).unwrap());
    let signature = STANDARD.encode(hmac::sign(&key, payload.as_bytes()));
    let escaped = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("type%3Dmaster%26ver%3D1.0%26sig%3D{escaped}")
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        Self { status, headers, body }
    }

    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head in {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_lowercase(), value.trim().to_owned())
        });
        Self { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{:?}", self.text(), self.headers);
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A header that must be present.
    pub(crate) fn has(&self, name: &str) -> &str {
        self.header(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Json {
        Json::parse(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn property(&self, name: &str) -> Json {
        self.json().get(name).unwrap_or_else(|| panic!("no {name} in {}", self.text())).clone()
    }

    pub(crate) fn string(&self, name: &str) -> String {
        self.property(name).as_str().unwrap().to_owned()
    }

    /// The entries of a feed.
    pub(crate) fn entries(&self, name: &str) -> Vec<Json> {
        let entries = self.property(name).as_array().unwrap().to_vec();
        assert_eq!(self.property("_count").as_i64(), Some(entries.len() as i64));
        entries
    }

    /// The ids of the entries of a feed.
    pub(crate) fn ids(&self, name: &str) -> Vec<String> {
        let id = |entry: &Json| entry.get("id").unwrap().as_str().unwrap().to_owned();
        self.entries(name).iter().map(id).collect()
    }

    /// An error outside of the API, which still has a body.
    pub(crate) fn refused_without_activity(&self, status: u16) {
        assert_eq!(self.status, status, "{}", self.text());
        assert!(!self.string("message").is_empty());
    }

    /// Whether the message of an error, or what is ours beside it, contains a text.
    fn explains(&self, text: &str) -> bool {
        let json = self.json();
        let contains =
            |name| json.get(name).and_then(Json::as_str).is_some_and(|said| said.contains(text));
        contains("message") || contains("detail")
    }

    /// An error with a body as clients expect it.
    pub(crate) fn refused(&self, status: u16, sub_status: Option<&str>, message: &str) {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("x-ms-substatus"), sub_status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        let expected = self.string("message");
        assert!(self.explains(message), "{}", self.text());
        let activity = format!("ActivityId: {}", self.has("x-ms-activity-id"));
        assert!(expected.contains(&activity), "{expected}");
        assert!(!self.string("code").is_empty());
    }
}
