//! One run: every side in turn, its idle sockets and its rooms.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::descriptors::raise_descriptor_limit;
use super::load::{Speech, measure};
use super::report::{FanOutReport, SideFigures};
use crate::gateway::BenchServer;
use crate::{Error, Result, progress};

/// Sizes of the rooms.
const ROOMS: [usize; 3] = [10, 100, 1_000];
/// Descriptors that are needed besides sockets.
const SPARE_DESCRIPTORS: u64 = 200;
/// The version of the other library.
const PEER: &str = "ws@8.18.3";

/// How the fan-out is measured.
#[derive(Clone, Debug)]
pub struct FanOutOptions {
    /// Sockets that are opened and left idle.
    pub idle: usize,
    /// Sockets that are in rooms; a multiple of the largest room, or smaller rooms only are measured.
    pub members: usize,
    /// Messages that are sent into each room.
    pub messages: usize,
    /// This program, which is also the servers.
    pub program: PathBuf,
    /// Where Node's library is installed. None: that side is left out.
    pub peers: Option<PathBuf>,
}

/// Measures every side.
///
/// # Errors
/// Whatever went wrong, but not a missing Node.
pub fn run_fan_out(options: &FanOutOptions) -> Result<FanOutReport> {
    let room_for = raise_descriptor_limit().saturating_sub(SPARE_DESCRIPTORS);
    let idle = options.idle.min(usize::try_from(room_for)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let side = |name: &'static str, speech: Speech, command: &mut Command| {
        progress::step(name);
        runtime.block_on(run_side(options, idle, speech, command))
    };
    let process = |part: &str| {
        let mut command = Command::new(&options.program);
        command.args(["process", part]);
        command
    };
    let hub = side("hub", Speech::Hub, &mut process("hub"))?;
    let bare = side("bare WebSockets", Speech::Bare, &mut process("bare-rooms"))?;
    let peer = match &options.peers {
        None => Err("left out".to_owned()),
        Some(folder) => match install_peer(folder) {
            Ok(script) => {
                let mut command = Command::new("node");
                command.arg(script);
                Ok(side("Node", Speech::Bare, &mut command)?)
            }
            Err(error) => Err(error.to_string()),
        },
    };
    Ok(FanOutReport { idle, members: options.members, messages: options.messages, hub, bare, peer })
}

async fn run_side(
    options: &FanOutOptions,
    idle: usize,
    speech: Speech,
    command: &mut Command,
) -> Result<SideFigures> {
    let server = BenchServer::start(command, |line| Ok(line.trim().parse()?))?;
    let (before, _) = server.resident_bytes()?;
    let sockets = speech.open_all(server.address, idle, hub_path).await?;
    let (after, _) = server.resident_bytes()?;
    let idle_bytes = after.saturating_sub(before) / (sockets.len().max(1) as u64);
    drop(sockets);
    let mut rooms = Vec::new();
    for members in ROOMS.into_iter().filter(|members| *members <= options.members) {
        let clients = speech.open_all(server.address, options.members, hub_path).await?;
        rooms.push(measure(speech, &server, clients, members, options.messages).await?);
    }
    Ok(SideFigures { idle_bytes, rooms })
}

fn hub_path(_: usize) -> String {
    "/hub".to_owned()
}

/// Installs the other library once and gives its server.
fn install_peer(folder: &Path) -> Result<PathBuf> {
    let folder = folder.join("fan-out");
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("peer.mjs");
    std::fs::write(&script, include_str!("peer.mjs"))?;
    if !folder.join("node_modules/ws").is_dir() {
        let installed = Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", PEER, "--prefix"])
            .arg(&folder)
            .status();
        if !installed.is_ok_and(|status| status.success()) {
            return Err(Error::from("Node.js with npm is not installed"));
        }
    }
    Ok(script)
}
