//! Other servers of the same protocol, measured if they can be installed.
//!
//! They are measured on this machine with the same load generator; they keep everything in memory.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::compare::LoadResult;
use super::measure::{free_address, wait_until_ready};
use super::report::{ComparedRow, PeerRow};
use super::run::{GatewayBench, LoadRound};
use super::serving::BenchServer;
use super::work::RequestKind;
use crate::{Result, progress};

struct PeerServer {
    name: &'static str,
    /// Installs it in a folder; returns false if that is impossible.
    install: fn(&Path) -> bool,
    /// The command that serves at an address.
    command: fn(&Path, SocketAddr) -> Command,
}

const PEERS: [PeerServer; 2] = [
    PeerServer {
        name: "@vercel/cosmosdb-server (Node.js)",
        install: install_vercel,
        command: vercel,
    },
    PeerServer { name: "cosmium (Go)", install: install_cosmium, command: cosmium },
];

/// The requests that every server of this protocol should support.
const WORK: [RequestKind; 3] = [RequestKind::PointRead, RequestKind::Create, RequestKind::Query];

/// Measures every peer and compares it with our server.
pub(super) fn all(
    bench: &GatewayBench,
    folder: &Path,
    ours: &[ComparedRow],
) -> Result<Vec<PeerRow>> {
    std::fs::create_dir_all(folder)?;
    let mut rows = Vec::new();
    for peer in &PEERS {
        progress::step(peer.name);
        if !(peer.install)(folder) {
            let reached = Err("could not be installed here".to_owned());
            rows.push(PeerRow { peer: peer.name, what: "all", reached });
            continue;
        }
        rows.extend(peer.rows(bench, folder, ours));
    }
    Ok(rows)
}

impl PeerServer {
    fn rows(&self, bench: &GatewayBench, folder: &Path, ours: &[ComparedRow]) -> Vec<PeerRow> {
        let row = |work: RequestKind, reached| PeerRow {
            peer: self.name,
            what: work.description(),
            reached,
        };
        let serving = match self.loaded(bench, folder) {
            Ok(serving) => serving,
            Err(why) => {
                let reached = Err(format!("could not be loaded: {}", first_line(&why.to_string())));
                return vec![PeerRow { peer: self.name, what: "all", reached }];
            }
        };
        let rows = ours.iter().filter(|row| WORK.contains(&row.work)).map(|ours| {
            let reached = self.round(bench, &serving, ours.work);
            let reached = reached.map(|theirs| (theirs, ours.ours.per_second / theirs.per_second));
            row(ours.work, reached.map_err(|why| first_line(&why.to_string())))
        });
        rows.collect()
    }

    fn loaded(&self, bench: &GatewayBench, folder: &Path) -> Result<BenchServer> {
        let address = free_address()?;
        let serving = BenchServer::silent(&mut (self.command)(folder, address), address)?;
        wait_until_ready(&serving)?;
        bench.load_items(&serving)?;
        Ok(serving)
    }

    fn round(
        &self,
        bench: &GatewayBench,
        serving: &BenchServer,
        work: RequestKind,
    ) -> Result<LoadResult> {
        let round = bench.round(work, bench.options.items);
        if work == RequestKind::Create {
            // The items of the data set exist already.
            let first = bench.options.items;
            return bench.load(serving, LoadRound { first, warm_up_ms: 0, ..round });
        }
        // A response is not enough; it must be a success.
        serving.answer(work, bench.options.items)?;
        bench.load(serving, round)
    }
}

fn install_vercel(folder: &Path) -> bool {
    let installed = folder.join("node_modules/@vercel/cosmosdb-server");
    let mut command = Command::new("npm");
    command.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder);
    command.arg("@vercel/cosmosdb-server@1.0.1");
    installed.exists() || succeeds(&mut command)
}

fn vercel(folder: &Path, address: SocketAddr) -> Command {
    let script = format!(
        "require('@vercel/cosmosdb-server').createHttpServer({{keepAlive:true}}).listen({},'127.0.0.1')",
        address.port()
    );
    let mut command = Command::new("node");
    command.current_dir(folder).arg("-e").arg(script);
    command
}

fn install_cosmium(folder: &Path) -> bool {
    let mut command = Command::new("go");
    command.args(["install", "github.com/pikami/cosmium/cmd/server@latest"]);
    command.env("GOBIN", folder);
    folder.join("server").exists() || succeeds(&mut command)
}

fn cosmium(folder: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new(folder.join("server"));
    command.args(["-Host", "127.0.0.1", "-Port", &address.port().to_string()]);
    command.args(["-DisableTls", "-LogLevel", "silent"]);
    command
}

fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}
