//! The HTTP interface of one system on a socket of its own, and callers with tokens.

use std::net::SocketAddr;

use client::Environment;
use reqwest::{Client, Method, Response};
use serde_json::Value;
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;
use worlds::Worlds;

pub(crate) struct Site {
    pub(crate) server: HttpServer,
    pub(crate) router: axum::Router,
    address: SocketAddr,
    client: Client,
}

/// A response that was read.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) bytes: Vec<u8>,
    headers: reqwest::header::HeaderMap,
}

impl Site {
    pub(crate) async fn of(system: &Worlds, environment: &Environment) -> Self {
        let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
        let settings = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
        let server = HttpServer::new(environment.clone(), settings, identity);
        let router = system.router(&server, worlds::WORLD_PAGES);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (serving, routes) = (server.clone(), router.clone());
        tokio::spawn(async move { serving.serve_at(listener, routes).await.unwrap() });
        let client = Client::builder().no_proxy().build().unwrap();
        Self { server, router, address, client }
    }

    /// Sends a request as a user, or without a token.
    pub(crate) async fn respond(
        &self,
        user: Option<&str>,
        method: &str,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, format!("http://{}{path}", self.address));
        if let Some(user) = user {
            let token = self.server.identity().demo_issuer().unwrap().token(user, &[]);
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn call(
        &self,
        user: Option<&str>,
        method: &str,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Answer {
        Answer::of(self.respond(user, method, path, body, headers).await).await
    }

    /// Sends bytes as ann.
    pub(crate) async fn send(&self, path: &str, bytes: Vec<u8>) -> Answer {
        let token = self.server.identity().demo_issuer().unwrap().token("ann", &[]);
        let request = self.client.post(format!("http://{}{path}", self.address));
        Answer::of(request.bearer_auth(token).body(bytes).send().await.unwrap()).await
    }
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.unwrap().to_vec();
        let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
        let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| text());
        Self { status, body, bytes, headers }
    }

    pub(crate) fn data(&self) -> &Value {
        &self.body["data"]
    }

    pub(crate) fn header(&self, name: &str) -> String {
        let value = self.headers.get(name).unwrap_or_else(|| panic!("no header {name}"));
        value.to_str().unwrap().to_owned()
    }

    /// The request charge of the header.
    pub(crate) fn charge(&self) -> f64 {
        self.header("x-ms-request-charge").parse().unwrap()
    }

    /// The code of the problem.
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// The fields of the problem, sorted.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut fields: Vec<_> =
            errors.iter().map(|one| one["field"].as_str().unwrap_or_default()).collect();
        fields.sort_unstable();
        fields
    }

    /// Names of the entities of a list.
    pub(crate) fn names(&self) -> Vec<&str> {
        let list = self.data().as_array().unwrap_or_else(|| panic!("no list: {}", self.body));
        list.iter().map(|one| one["name"].as_str().unwrap()).collect()
    }
}
