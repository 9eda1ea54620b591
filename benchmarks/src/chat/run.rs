//! One run: every side in turn, its idle connections and its rooms; then rooms with a history.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::history;
use super::report::{ChatReport, ChatSide};
use super::serve::paths;
use crate::fan_out::{SideFigures, Speech, measure, raise_descriptor_limit};
use crate::gateway::BenchServer;
use crate::{Error, Result, progress};

/// Sizes of the rooms.
pub(super) const ROOMS: [usize; 3] = [10, 100, 1_000];
/// Descriptors that are needed besides sockets.
const SPARE_DESCRIPTORS: u64 = 200;
/// The versions of the other libraries.
const PEERS: [&str; 2] = ["ws@8.18.3", "redis@5.8.0"];

/// How the chat is measured.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    /// Connections that are opened and left idle.
    pub idle: usize,
    /// Connections that are in rooms.
    pub members: usize,
    /// Messages that are sent into each room.
    pub messages: usize,
    /// Messages of the rooms with a history.
    pub histories: Vec<u64>,
    /// This program, which is also the servers.
    pub program: PathBuf,
    /// Where Node's libraries are installed. None: that side is left out.
    pub peers: Option<PathBuf>,
}

/// Measures every side.
///
/// # Errors
/// Whatever went wrong, but not a missing Node or Redis.
pub fn run_chat(options: &ChatOptions) -> Result<ChatReport> {
    let room_for = raise_descriptor_limit().saturating_sub(SPARE_DESCRIPTORS);
    let idle = options.idle.min(usize::try_from(room_for)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let side = |name: &'static str, speech: Speech, command: &mut Command| {
        progress::step(name);
        let figures = runtime.block_on(run_side(options, idle, speech, command))?;
        Ok::<_, Error>(ChatSide { name, figures: Ok(figures) })
    };
    let process = |words: &[&str]| {
        let mut command = Command::new(&options.program);
        command.arg("process").args(words);
        command
    };
    let members = options.members.to_string();
    let folder = tempfile::tempdir()?;
    let on_disk = folder.path().join("chat").display().to_string();
    let stored = ["chat", "--members", &members, "--folder", &on_disk];
    let mut sides = vec![
        side("chat, stored on disk", Speech::Chat, &mut process(&stored))?,
        side(
            "chat, stored in memory",
            Speech::Chat,
            &mut process(&["chat", "--members", &members]),
        )?,
        side("hub without storage", Speech::Hub, &mut process(&["hub"]))?,
        side("bare axum", Speech::Bare, &mut process(&["bare-rooms"]))?,
    ];
    let name = "Node `ws` with Redis";
    sides.push(match start_peer(options.peers.as_deref()) {
        Ok((mut command, _redis)) => side(name, Speech::Bare, &mut command)?,
        Err(error) => ChatSide { name, figures: Err(error.to_string()) },
    });
    let histories = runtime.block_on(history::measure(&options.histories))?;
    let (members, messages) = (options.members, options.messages);
    Ok(ChatReport { idle, members, messages, sides, histories })
}

async fn run_side(
    options: &ChatOptions,
    idle: usize,
    speech: Speech,
    command: &mut Command,
) -> Result<SideFigures> {
    let server = BenchServer::start(command, |line| Ok(line.trim().parse()?))?;
    let paths = match speech {
        Speech::Chat => paths(options.members)?,
        Speech::Hub | Speech::Bare => vec!["/hub".to_owned()],
    };
    // A person has several connections if there are more of those than people.
    let path = |number: usize| paths.get(number % paths.len().max(1)).cloned().unwrap_or_default();
    let (before, _) = server.resident_bytes()?;
    let sockets = speech.open_all(server.address, idle, path).await?;
    let (after, _) = server.resident_bytes()?;
    let idle_bytes = after.saturating_sub(before) / (sockets.len().max(1) as u64);
    drop(sockets);
    let mut rooms = Vec::new();
    for members in ROOMS.into_iter().filter(|members| *members <= options.members) {
        let clients = speech.open_all(server.address, options.members, path).await?;
        rooms.push(measure(speech, &server, clients, members, options.messages).await?);
    }
    Ok(SideFigures { idle_bytes, rooms })
}

/// A process that is killed with its owner.
struct KilledChild(Child);

impl Drop for KilledChild {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Installs the other libraries once, starts a Redis, and gives the command of the server.
fn start_peer(folder: Option<&Path>) -> Result<(Command, KilledChild)> {
    let folder = folder.ok_or_else(|| Error::from("left out"))?.join("chat");
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("peer.mjs");
    std::fs::write(&script, include_str!("peer.mjs"))?;
    if !folder.join("node_modules/redis").is_dir() {
        let mut install = Command::new("npm");
        install.args(["install", "--silent", "--no-audit", "--no-fund"]).args(PEERS);
        let installed = install.arg("--prefix").arg(&folder).status();
        if !installed.is_ok_and(|status| status.success()) {
            return Err(Error::from("Node.js with npm is not installed"));
        }
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let redis = Command::new("redis-server")
        .args([
            "--port",
            &port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "yes",
            "--dir",
        ])
        .arg(&folder)
        .stdout(Stdio::null())
        .spawn()
        .map_err(|_| Error::from("there is no redis-server"))?;
    let mut command = Command::new("node");
    command.arg(script).arg(port);
    Ok((command, KilledChild(redis)))
}
