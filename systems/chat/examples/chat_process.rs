//! A chat in its own process, for the tests that run several of them behind one Redis and kill one.
//!
//! `chat_process ACCOUNT REDIS SECRET` serves a chat of an account (the connection string of a server) with a Redis,
//! and prints its address. Tokens are those of a demonstration with this secret, so that all processes accept them.

#![expect(clippy::print_stdout, reason = "its one output is for the test")]

use chat::{Chat, ChatHub, ChatParts, ChatSettings};
use client::{Account, Environment};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use service::settings::Secret;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("give account, Redis and secret");
    let (place, redis, secret) = (next()?, next()?, next()?);
    let mut settings = ChatSettings::default();
    settings.chat.development = true;
    settings.redis.connection_string = Secret::new(redis);
    let environment = Environment::system();
    let account = Account::open(&place).await?;
    let chat = Chat::open(account, settings, environment.clone(), ChatParts::default()).await?;
    let identity =
        IdentitySettings { demo_secret: Secret::new(secret), ..IdentitySettings::demo() };
    let identity = Identity::new(environment.clone(), &identity)?;
    let server = HttpServer::new(environment, HttpSettings::default(), identity);
    let hub = ChatHub::new(&chat, &server);
    let router = chat.router(&server, &[]).merge(hub.routes());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    tokio::join!(server.serve_at(listener, router), chat.run(server.shutdown())).0?;
    Ok(())
}
