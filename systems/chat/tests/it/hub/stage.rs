//! A chat with its hub on a socket.

use chat::{Chat, ChatHub, ChatSettings};
use client::Environment;
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;

use super::client::{Address, HubClient, Transport};
use crate::world::{Way, World};

pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) served: ServedHub,
}

/// One process of a chat.
pub(crate) struct ServedHub {
    pub(crate) server: HttpServer,
    pub(crate) hub: ChatHub,
    pub(crate) host: String,
}

impl Stage {
    pub(crate) async fn new<W: Way>(settings: ChatSettings) -> Self {
        let world = World::with_hub::<W>(settings).await;
        let served = ServedHub::start(&world.chat, &world.environment).await;
        Self { world, served }
    }

    pub(crate) async fn connect(&self, name: &str, transport: Transport) -> HubClient {
        self.served.connect(name, transport).await
    }
}

impl ServedHub {
    pub(crate) async fn start(chat: &Chat, environment: &Environment) -> Self {
        let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
        let settings = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
        let server = HttpServer::new(environment.clone(), settings, identity);
        let hub = ChatHub::new(chat, &server);
        let router = chat.router(&server, &[]).merge(hub.routes());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let serving = server.clone();
        tokio::spawn(async move { serving.serve_at(listener, router).await.unwrap() });
        Self { server, hub, host }
    }

    pub(crate) fn token(&self, name: &str) -> String {
        self.server.identity().demo_issuer().unwrap().token(name, &[])
    }

    pub(crate) fn address(&self, name: &str) -> Address {
        let bearer = format!("Bearer {}", self.token(name));
        let credentials = ("authorization".to_owned(), bearer);
        Address { host: self.host.clone(), credentials, origin: None }
    }

    /// Connects and waits until the first room is joined.
    pub(crate) async fn connect(&self, name: &str, transport: Transport) -> HubClient {
        let mut client = HubClient::connect(&self.address(name), transport).await.unwrap();
        assert_eq!(client.event("getProfileInfo").await["userName"], name);
        client.event("presenceSnapshot").await;
        client
    }

    pub(crate) async fn get(&self, name: &str, path: &str) -> (u16, serde_json::Value) {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = http.get(format!("http://{}{path}", self.host));
        let answer = request.bearer_auth(self.token(name)).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }
}
