//! The system behind HTTP: a server of its own for one test, and callers with tokens.

use std::net::SocketAddr;
use std::ops::Deref;

use client::Environment;
use notifications::Notifications;
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::Value;
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;

use crate::world::World;

/// The HTTP interface of one system on a socket.
pub(crate) struct Interface {
    pub(crate) server: HttpServer,
    address: SocketAddr,
    client: Client,
}

/// A world with its interface.
pub(crate) struct Site {
    pub(crate) world: World,
    interface: Interface,
}

/// A status and a body.
pub(crate) type Reply = (u16, Value);

impl Site {
    pub(crate) async fn new() -> Self {
        Self::on(World::new().await).await
    }

    /// Another process on the same data.
    pub(crate) async fn of(world: &World, system: Notifications) -> Self {
        Self::on(World { system, ..world.clone() }).await
    }

    pub(crate) async fn on(world: World) -> Self {
        let interface = Interface::of(&world.system, &world.environment).await;
        Self { world, interface }
    }
}

impl Deref for Site {
    type Target = Interface;

    fn deref(&self) -> &Interface {
        &self.interface
    }
}

impl Interface {
    pub(crate) async fn of(system: &Notifications, environment: &Environment) -> Self {
        let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
        let settings = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
        let server = HttpServer::new(environment.clone(), settings, identity);
        let router = system.router(&server, notifications::PAGES);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = server.clone();
        tokio::spawn(async move { serving.serve_at(listener, router).await.unwrap() });
        Self { server, address, client: Client::builder().no_proxy().build().unwrap() }
    }

    pub(crate) fn token(&self, name: &str, roles: &[&str]) -> String {
        self.server.identity().demo_issuer().unwrap().token(name, roles)
    }

    fn token_of(&self, caller: &str) -> String {
        match caller {
            "service" | "admin" => self.token(caller, &[caller]),
            _ => self.token(caller, &[]),
        }
    }

    /// Sends a raw body; without a content type if that is empty.
    pub(crate) async fn raw(
        &self,
        caller: &str,
        method: &str,
        path: &str,
        content_type: &str,
        body: Vec<u8>,
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = self.client.request(method, format!("http://{}{path}", self.address));
        let mut request = request.bearer_auth(self.token_of(caller)).body(body);
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        request.send().await.unwrap()
    }

    /// Calls as a user, or without a token; `service` and `admin` have their role.
    pub(crate) async fn respond(
        &self,
        caller: Option<&str>,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, format!("http://{}{path}", self.address));
        if let Some(caller) = caller {
            request = request.bearer_auth(self.token_of(caller));
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.unwrap()
    }

    /// Opens the stream of a user, after the last event if it was open before.
    pub(crate) async fn stream(&self, caller: &str, last: Option<&str>) -> Response {
        let url = format!("http://{}/api/notifications/stream", self.address);
        let request = self.client.get(url).bearer_auth(self.token(caller, &[]));
        let last = last.map(|id| ("last-event-id", id));
        let request =
            last.into_iter().fold(request, |request, (name, id)| request.header(name, id));
        request.send().await.unwrap()
    }

    pub(crate) async fn call(
        &self,
        caller: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Reply {
        let response = self.respond(Some(caller), method, path, body.as_ref()).await;
        let status: StatusCode = response.status();
        let text = response.text().await.unwrap();
        (status.as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub(crate) async fn get(&self, caller: &str, path: &str) -> Reply {
        self.call(caller, "GET", path, None).await
    }

    pub(crate) async fn post(&self, caller: &str, path: &str, body: Value) -> Reply {
        self.call(caller, "POST", path, Some(body)).await
    }
}

/// The fields of a problem, sorted.
pub(crate) fn fields(problem: &Value) -> Vec<String> {
    let errors = problem["errors"].as_array().cloned().unwrap_or_default();
    let mut fields: Vec<_> =
        errors.iter().map(|error| error["field"].as_str().unwrap_or_default().to_owned()).collect();
    fields.sort();
    fields
}
