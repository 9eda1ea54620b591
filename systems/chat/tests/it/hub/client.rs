//! A small SignalR client of the tests: JSON over each of the three transports.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

const END: char = '\u{1e}';
/// Nothing here takes that long; a test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    WebSockets,
    ServerSentEvents,
    LongPolling,
}

/// Who connects where.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) host: String,
    /// A header with the credentials: name and value.
    pub(crate) credentials: (String, String),
    pub(crate) origin: Option<String>,
}

pub(crate) struct HubClient {
    outgoing: mpsc::UnboundedSender<String>,
    incoming: mpsc::UnboundedReceiver<Value>,
    waiting: Vec<Value>,
    calls: u64,
    tasks: Vec<JoinHandle<()>>,
}

impl Address {
    fn headers(&self, mut request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request = request.header(&self.credentials.0, &self.credentials.1);
        match &self.origin {
            Some(origin) => request.header("origin", origin),
            None => request,
        }
    }

    /// The status and the body of a negotiation.
    pub(crate) async fn negotiate(&self) -> (u16, Value) {
        let url = format!("http://{}/chatHub/negotiate?negotiateVersion=1", self.host);
        let answer = self.headers(http().post(url)).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }
}

fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

impl HubClient {
    /// Connects, does the handshake and waits for the profile. `Err` has the status of a refusal.
    pub(crate) async fn connect(address: &Address, transport: Transport) -> Result<Self, u16> {
        let (status, negotiated) = address.negotiate().await;
        if status != 200 {
            return Err(status);
        }
        let token = negotiated["connectionToken"].as_str().unwrap().to_owned();
        let url = format!("{}/chatHub?id={token}", address.host);
        let (outgoing, sent) = mpsc::unbounded_channel();
        let (received, incoming) = mpsc::unbounded_channel();
        let tasks = match transport {
            Transport::WebSockets => web_socket(address, &url, sent, received).await?,
            Transport::ServerSentEvents => {
                server_sent_events(address, &url, sent, received).await?
            }
            Transport::LongPolling => long_polling(address, &url, sent, received).await?,
        };
        let mut client = Self { outgoing, incoming, waiting: Vec::new(), calls: 0, tasks };
        client
            .outgoing
            .send(format!("{}{END}", json!({ "protocol": "json", "version": 1 })))
            .unwrap();
        assert_eq!(client.next().await, Some(json!({})), "the answer to the handshake");
        Ok(client)
    }

    async fn next(&mut self) -> Option<Value> {
        tokio::time::timeout(PATIENCE, self.incoming.recv()).await.expect("nothing was received")
    }

    /// The argument of the next event of this name.
    pub(crate) async fn event(&mut self, target: &str) -> Value {
        self.find(|message| message["type"] == 1 && message["target"] == target).await["arguments"]
            [0]
        .clone()
    }

    /// Whether an event of this name has come so far.
    pub(crate) fn has_event(&mut self, target: &str) -> bool {
        while let Ok(message) = self.incoming.try_recv() {
            self.waiting.push(message);
        }
        self.waiting.iter().any(|message| message["target"] == target)
    }

    async fn find(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&is_it) {
            return self.waiting.remove(at);
        }
        loop {
            let Some(message) = self.next().await else {
                panic!("the connection has ended after {:?}", self.waiting);
            };
            if is_it(&message) {
                return message;
            }
            self.waiting.push(message);
        }
    }

    /// Calls a method and returns its completion.
    pub(crate) async fn invoke(&mut self, target: &str, arguments: Value) -> Value {
        self.calls += 1;
        let id = self.calls.to_string();
        let call =
            json!({ "type": 1, "invocationId": id, "target": target, "arguments": arguments });
        self.outgoing.send(format!("{call}{END}")).unwrap();
        self.find(|message| message["type"] == 3 && message["invocationId"] == *id).await
    }

    /// Calls a method without waiting for anything.
    pub(crate) fn send(&mut self, target: &str, arguments: &Value) {
        let call = json!({ "type": 1, "target": target, "arguments": arguments });
        self.outgoing.send(format!("{call}{END}")).unwrap();
    }

    /// Takes nothing from its socket any more, and keeps it open.
    pub(crate) fn stop_reading(&self) {
        self.tasks.last().unwrap().abort();
    }

    /// Waits until the server has ended the connection.
    pub(crate) async fn ended(&mut self) {
        loop {
            match self.next().await {
                None => return,
                Some(message) if message["type"] == 7 => return,
                Some(_) => {}
            }
        }
    }

    /// Goes without a word, as a process that was killed.
    pub(crate) fn vanish(self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Drop for HubClient {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Gives the messages of a text on, without pings.
fn receive(text: &str, received: &mpsc::UnboundedSender<Value>) {
    for part in text.split(END).filter(|part| !part.is_empty()) {
        let message: Value = serde_json::from_str(part).unwrap();
        if message["type"] != 6 {
            let _ = received.send(message);
        }
    }
}

async fn web_socket(
    address: &Address,
    url: &str,
    mut sent: mpsc::UnboundedReceiver<String>,
    received: mpsc::UnboundedSender<Value>,
) -> Result<Vec<JoinHandle<()>>, u16> {
    let mut request = format!("ws://{url}").into_client_request().unwrap();
    let headers = request.headers_mut();
    let name: axum::http::HeaderName = address.credentials.0.parse().unwrap();
    headers.insert(name, address.credentials.1.parse().unwrap());
    if let Some(origin) = &address.origin {
        headers.insert("origin", origin.parse().unwrap());
    }
    let stream = tokio::net::TcpStream::connect(&address.host).await.unwrap();
    let (socket, _) = match tokio_tungstenite::client_async(request, stream).await {
        Ok(connected) => connected,
        Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => {
            return Err(answer.status().as_u16());
        }
        Err(error) => panic!("{error}"),
    };
    let (mut writer, mut reader) = socket.split();
    let writing = tokio::spawn(async move {
        while let Some(text) = sent.recv().await {
            if writer.send(Message::text(text)).await.is_err() {
                return;
            }
        }
    });
    let reading = tokio::spawn(async move {
        while let Some(Ok(message)) = reader.next().await {
            if let Message::Text(text) = message {
                receive(&text, &received);
            }
        }
    });
    Ok(vec![writing, reading])
}

/// Sends by POST, one after the other.
fn posting(
    address: &Address,
    url: &str,
    mut sent: mpsc::UnboundedReceiver<String>,
) -> JoinHandle<()> {
    let (address, url) = (address.clone(), format!("http://{url}"));
    tokio::spawn(async move {
        let http = http();
        while let Some(text) = sent.recv().await {
            let _ = address.headers(http.post(&url)).body(text).send().await;
        }
    })
}

async fn server_sent_events(
    address: &Address,
    url: &str,
    sent: mpsc::UnboundedReceiver<String>,
    received: mpsc::UnboundedSender<Value>,
) -> Result<Vec<JoinHandle<()>>, u16> {
    let request = http().get(format!("http://{url}")).header("accept", "text/event-stream");
    let mut answer = address.headers(request).send().await.unwrap();
    if !answer.status().is_success() {
        return Err(answer.status().as_u16());
    }
    let reading = tokio::spawn(async move {
        let mut text = String::new();
        while let Ok(Some(chunk)) = answer.chunk().await {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            let normal = text.replace("\r\n", "\n");
            text = normal;
            while let Some((event, rest)) = text.split_once("\n\n") {
                let data: Vec<&str> =
                    event.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
                receive(&data.join("\n"), &received);
                text = rest.to_owned();
            }
        }
    });
    Ok(vec![posting(address, url, sent), reading])
}

async fn long_polling(
    address: &Address,
    url: &str,
    sent: mpsc::UnboundedReceiver<String>,
    received: mpsc::UnboundedSender<Value>,
) -> Result<Vec<JoinHandle<()>>, u16> {
    let first = address.headers(http().get(format!("http://{url}"))).send().await.unwrap();
    let status = first.status().as_u16();
    if status != 200 {
        return Err(status);
    }
    assert_eq!(first.text().await.unwrap(), "", "the first poll answers at once");
    let (poller, path) = (address.clone(), format!("http://{url}"));
    let reading = tokio::spawn(async move {
        let http = http();
        loop {
            let Ok(answer) = poller.headers(http.get(&path)).send().await else { return };
            if answer.status().as_u16() != 200 {
                return;
            }
            receive(&answer.text().await.unwrap(), &received);
        }
    });
    Ok(vec![posting(address, url, sent), reading])
}
