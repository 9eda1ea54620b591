//! Two processes behind one Redis and one server; one is killed with SIGKILL.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use client::Environment;
use engine::Engine;
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use serde_json::json;
use service::identity::{Identity, IdentitySettings};
use service::settings::Secret;
use tokio::net::TcpListener;

use super::client::{Address, HubClient, Transport};
use crate::redis::RedisServer;
use crate::world::{ALICE, BOB};

const SECRET: &str = "the secret of all processes of this test";

struct Process {
    child: Child,
    host: String,
}

impl Process {
    fn start(account: &str, redis: &RedisServer) -> Self {
        let mut child = Command::new(program())
            .args([account, &redis.address(), SECRET])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut host = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut host).unwrap();
        Self { child, host: host.trim().to_owned() }
    }

    async fn connect(&self, name: &str) -> HubClient {
        let settings =
            IdentitySettings { demo_secret: Secret::new(SECRET), ..IdentitySettings::demo() };
        let identity = Identity::new(Environment::system(), &settings).unwrap();
        let bearer = format!("Bearer {}", identity.demo_issuer().unwrap().token(name, &[]));
        let credentials = ("authorization".to_owned(), bearer);
        let address = Address { host: self.host.clone(), credentials, origin: None };
        let mut client = HubClient::connect(&address, Transport::WebSockets).await.unwrap();
        client.event("presenceSnapshot").await;
        client
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The example `chat_process`, which the test command builds beside the tests.
fn program() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let profile = this.parent().and_then(Path::parent).unwrap();
    let program = profile.join("examples").join("chat_process");
    assert!(program.exists(), "build it first: cargo build --examples");
    program
}

/// A server of ours with a seeded chat; its connection string.
async fn server() -> String {
    let engine = Engine::in_memory().await.unwrap();
    let account = client::Account::embedded(engine.clone()).await.unwrap();
    let (settings, parts) = (crate::world::settings(), chat::ChatParts::default());
    let chat = chat::Chat::open(account, settings, Environment::system(), parts).await.unwrap();
    chat.seed().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let gateway = Gateway::new(engine, GatewaySettings::default());
    tokio::spawn(async move { gateway.serve(listener, std::future::pending()).await });
    format!("AccountEndpoint=http://{address}/;AccountKey={EMULATOR_KEY};")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_is_killed_and_the_other_goes_on() {
    let Some(redis) = RedisServer::start("of_two_processes_one_is_killed").await else { return };
    let account = server().await;
    let (one, other) = (Process::start(&account, &redis), Process::start(&account, &redis));
    let mut alice = one.connect(ALICE).await;
    let mut bob = other.connect(BOB).await;
    // The channel is opened in the background; what is sent before it is not repeated.
    for number in 0.. {
        alice.invoke("SendMessage", json!([format!("hello {number}"), null])).await;
        alice.event("newMessage").await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        if bob.has_event("newMessage") {
            break;
        }
        assert!(number < 50, "nothing reaches the other process");
    }
    assert_eq!(bob.event("newMessage").await["fromUserName"], ALICE);
    drop(one);
    alice.ended().await;
    bob.invoke("SendMessage", json!(["still here", "c1"])).await;
    assert_eq!(bob.event("newMessage").await["content"], "still here");
    // Alice comes back at the other process and misses nothing that is stored.
    let mut alice = other.connect(ALICE).await;
    bob.invoke("SendMessage", json!(["welcome back", "c2"])).await;
    assert_eq!(alice.event("newMessage").await["content"], "welcome back");
}
