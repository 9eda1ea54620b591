//! The system behind HTTP: a server of its own for one test, and callers with tokens or sessions.

use std::net::SocketAddr;

use chat::{Chat, ChatSettings};
use client::Environment;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;

use crate::world::{Texts, Way, World};

/// A status and a body.
pub(crate) type Reply = (u16, Value);

/// A world with its interface on a socket.
pub(crate) struct Site {
    pub(crate) world: World,
    pub(crate) interface: Interface,
}

pub(crate) struct Interface {
    pub(crate) server: HttpServer,
    pub(crate) router: axum::Router,
    pub(crate) address: SocketAddr,
    client: Client,
}

/// The cookies of a session and its CSRF token.
#[derive(Clone, Debug)]
pub(crate) struct Cookies {
    pub(crate) line: String,
    pub(crate) csrf: String,
    /// As they were set, with their attributes.
    pub(crate) set: Vec<String>,
}

impl Site {
    pub(crate) async fn new<W: Way>(settings: ChatSettings) -> Self {
        let world = World::with::<W>(settings).await;
        let interface = Interface::of(&world.chat, &world.environment).await;
        Self { world, interface }
    }

    /// Signs a user in by a code.
    pub(crate) async fn sign_in(&self, user: &str) -> Cookies {
        self.interface.sign_in(user, &self.world.texts).await
    }
}

impl Interface {
    pub(crate) async fn of(chat: &Chat, environment: &Environment) -> Self {
        Self::with(chat, environment, &IdentitySettings::demo()).await
    }

    pub(crate) async fn with(
        chat: &Chat,
        environment: &Environment,
        identity: &IdentitySettings,
    ) -> Self {
        let identity = Identity::new(environment.clone(), identity).unwrap();
        let settings = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
        let server = HttpServer::new(environment.clone(), settings, identity);
        let router = chat.router(&server, &[]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (serving, served) = (server.clone(), router.clone());
        tokio::spawn(async move { serving.serve_at(listener, served).await.unwrap() });
        Self { server, router, address, client: Client::builder().no_proxy().build().unwrap() }
    }

    pub(crate) fn token(&self, name: &str) -> String {
        let roles: &[&str] = if name == "admin" { &["admin"] } else { &[] };
        self.server.identity().demo_issuer().unwrap().token(name, roles)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Calls with the token of a user, or without.
    pub(crate) async fn respond(
        &self,
        caller: Option<&str>,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, self.url(path));
        if let Some(caller) = caller {
            request = request.bearer_auth(self.token(caller));
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn call(
        &self,
        caller: Option<&str>,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Reply {
        reply(self.respond(caller, method, path, body.as_ref()).await).await
    }

    pub(crate) async fn get(&self, caller: &str, path: &str) -> Reply {
        self.call(Some(caller), "GET", path, None).await
    }

    pub(crate) async fn post(&self, caller: &str, path: &str, body: Value) -> Reply {
        self.call(Some(caller), "POST", path, Some(body)).await
    }

    /// Calls with the cookies of a session.
    pub(crate) async fn call_with(
        &self,
        cookies: &Cookies,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Reply {
        reply(self.respond_with(cookies, method, path, body.as_ref()).await).await
    }

    pub(crate) async fn respond_with(
        &self,
        cookies: &Cookies,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, self.url(path));
        request = request.header("cookie", &cookies.line).header("x-csrf-token", &cookies.csrf);
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.unwrap()
    }

    /// Calls as a page of another origin makes a browser call: with the cookies of a session, which it cannot read.
    pub(crate) async fn respond_from(
        &self,
        origin: &str,
        cookies: &Cookies,
        (method, path, body): (&str, &str, Option<&Value>),
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, self.url(path));
        request = request.header("cookie", &cookies.line).header("origin", origin);
        request = request.header("sec-fetch-site", "cross-site");
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn sign_in(&self, user: &str, texts: &Texts) -> Cookies {
        texts.clear();
        let body = json!({ "userName": user });
        assert_eq!(self.call(None, "POST", "/api/auth/start", Some(body)).await.0, 202);
        let code = texts.code_of(user).await;
        let body = json!({ "userName": user, "code": code, "returnUrl": "//evil.example" });
        let response = self.respond(None, "POST", "/api/auth/verify", Some(&body)).await;
        assert_eq!(response.status().as_u16(), 200);
        let cookies = cookies_of(&response);
        assert_eq!(reply(response).await.1, json!({ "nextUrl": "/chat" }));
        cookies
    }
}

pub(crate) fn cookies_of(response: &Response) -> Cookies {
    let lines = response.headers().get_all("set-cookie").iter();
    let set: Vec<String> = lines.map(|line| line.to_str().unwrap().to_owned()).collect();
    let pairs: Vec<&str> = set.iter().map(|line| line.split(';').next().unwrap()).collect();
    let csrf = pairs.iter().find_map(|pair| pair.strip_prefix("csrf=")).unwrap().to_owned();
    Cookies { line: pairs.join("; "), csrf, set }
}

async fn reply(response: Response) -> Reply {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}
