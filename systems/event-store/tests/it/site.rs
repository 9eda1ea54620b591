//! The service behind HTTP: a server of its own for one test, and callers with tokens.

use std::net::SocketAddr;

use client::Environment;
use event_store::{
    EVENT_STORE_ADMIN_ROLE, EventStoreSettings, EventStoreSystem, Upcasters, sample,
};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;

use crate::world::World;

/// Runs each case on an account, behind our gateway, and on PostgreSQL.
macro_rules! on_every_provider {
    ($($case:ident),* $(,)?) => {
        mod account {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let world = crate::world::World::account().await;
                super::$case(crate::site::Site::on(world).await).await;
            })*
        }

        mod gateway {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let world = crate::world::World::gateway().await;
                super::$case(crate::site::Site::on(world).await).await;
            })*
        }

        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                if let Some(world) = crate::postgres::world(stringify!($case)).await {
                    super::$case(crate::site::Site::on(world).await).await;
                }
            })*
        }
    };
}

pub(crate) use on_every_provider;

pub(crate) struct Site {
    pub(crate) world: World,
    pub(crate) system: EventStoreSystem,
    pub(crate) server: HttpServer,
    pub(crate) router: axum::Router,
    address: SocketAddr,
    client: Client,
}

impl Site {
    pub(crate) async fn on(world: World) -> Self {
        // Tokens have a real lifetime, and the clock of the world stands still at another time.
        let environment = Environment::system();
        let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
        let settings = HttpSettings {
            requests_per_minute: 0,
            body_bytes_max: 4_000_000,
            ..HttpSettings::default()
        };
        let server = HttpServer::new(environment, settings, identity);
        let settings = EventStoreSettings {
            poll_milliseconds: 10,
            wait_seconds: 60,
            metric_tenants: ["listed".to_owned()].into(),
            ..Default::default()
        };
        let projectors = sample::sample_projectors();
        let system = EventStoreSystem::new(
            world.storage.clone(),
            settings,
            projectors,
            Upcasters::default(),
        );
        let system = match &world.account {
            Some(account) => system.with_migrations(account),
            None => system,
        };
        let router = system.router(&server, &[]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (serving, routes) = (server.clone(), router.clone());
        tokio::spawn(async move { serving.serve_at(listener, routes).await.unwrap() });
        // Each call has a connection of its own: the server ends one whose body it has refused.
        let client = Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
        Self { world, system, server, router, address, client }
    }

    /// A token of a tenant.
    pub(crate) fn token(&self, service: &str) -> String {
        self.token_with(json!({ "service_id": service }))
    }

    pub(crate) fn token_with(&self, claims: Value) -> String {
        self.server.identity().demo_issuer().unwrap().token_with("ann", claims)
    }

    pub(crate) fn operator(&self) -> String {
        self.token_with(json!({ "roles": [EVENT_STORE_ADMIN_ROLE] }))
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    /// Calls with a token; a status and a body.
    pub(crate) async fn call(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let mut request = self.request(method, path).bearer_auth(token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        answer(request.send().await.unwrap()).await
    }

    pub(crate) async fn get(&self, service: &str, path: &str) -> (u16, Value) {
        self.call(&self.token(service), "GET", path, None).await
    }

    pub(crate) async fn post(&self, service: &str, path: &str, body: Value) -> (u16, Value) {
        self.call(&self.token(service), "POST", path, Some(body)).await
    }
}

pub(crate) async fn answer(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}
