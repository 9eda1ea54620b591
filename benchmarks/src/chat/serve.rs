//! The chat as a server of its own: rooms of every size and their members, and the tokens of its people.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use chat::{Chat, ChatHub, ChatParts, ChatRoom, ChatSettings, ChatUser, RoomName};
use clap::Args;
use client::{Account, Environment};
use futures::{StreamExt as _, TryStreamExt as _};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use service::settings::Secret;
use tokio::net::TcpListener;

use super::run::ROOMS;
use crate::fan_out::raise_descriptor_limit;
use crate::{Error, Result};

/// Of both processes, so that one accepts the tokens that the other makes.
const SECRET: &str = "of the benchmark of the chat, and of nothing else";
/// Users that are written at the same time.
const WRITERS: usize = 16;

/// How the chat is served.
#[derive(Clone, Debug, Args)]
pub struct ServedChat {
    /// People, each a member of one room of every size.
    #[arg(long)]
    members: usize,
    /// The folder of its documents. None: they are in memory.
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Serves a chat until killed; prints its address.
pub(crate) fn serve_chat(served: &ServedChat, out: &mut impl Write) -> Result<()> {
    raise_descriptor_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let place = match &served.folder {
            Some(folder) => folder.display().to_string(),
            None => "memory".to_owned(),
        };
        let account = Account::open(place.as_str()).await?;
        let chat = open(account).await?;
        fill(&chat, served.members).await?;
        let environment = Environment::system();
        let http = HttpSettings {
            requests_per_minute: 0,
            connections_max: 100_000,
            ..HttpSettings::default()
        };
        let server = HttpServer::new(environment, http, identity()?);
        let hub = ChatHub::new(&chat, &server);
        let router = chat.router(&server, &[]).merge(hub.routes());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        writeln!(out, "{}", listener.local_addr()?)?;
        out.flush()?;
        Ok(server.serve_at(listener, router).await?)
    })
}

/// A chat without limits that a benchmark would meet.
pub(super) async fn open(account: Account) -> Result<Chat> {
    let mut settings = ChatSettings::default();
    settings.testing.in_memory = true;
    // Without throughput of their own the containers refuse nothing for their request rate.
    settings.cosmos.container_throughput = 0;
    settings.rate_limiting.messages.permit_limit = 1_000_000;
    settings.chat.connections_per_user = 10_000;
    settings.chat.user_cache_seconds = 300;
    let parts = ChatParts::default();
    Ok(Chat::open(account, settings, Environment::system(), parts).await?)
}

fn identity() -> Result<Identity> {
    let settings =
        IdentitySettings { demo_secret: Secret::new(SECRET), ..IdentitySettings::demo() };
    Ok(Identity::new(Environment::system(), &settings)?)
}

/// The path of a connection of each person.
pub(super) fn paths(people: usize) -> Result<Vec<String>> {
    let identity = identity()?;
    let issuer = identity.demo_issuer().ok_or_else(|| Error::from("there is no issuer"))?;
    let path = |number| format!("/chatHub?access_token={}", issuer.token(&name(number), &[]));
    Ok((0..people).map(path).collect())
}

fn name(number: usize) -> String {
    format!("u{number}")
}

/// Creates the rooms and their members.
async fn fill(chat: &Chat, members: usize) -> Result<()> {
    for size in ROOMS {
        for room in 0..members.div_ceil(size) {
            let name = RoomName::parse(&format!("r{size}-{room}"))?;
            chat.rooms().create(&ChatRoom::new(name)).await?;
        }
    }
    let write = |number: usize| async move {
        let rooms = ROOMS.map(|size| format!("r{size}-{}", number / size));
        let names: Vec<&str> = rooms.iter().map(String::as_str).collect();
        chat.users().upsert(&ChatUser::new(&name(number), "Ann Example", &names)).await
    };
    futures::stream::iter(0..members)
        .map(write)
        .buffer_unordered(WRITERS)
        .try_collect::<Vec<_>>()
        .await?;
    Ok(())
}
