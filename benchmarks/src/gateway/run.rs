//! One run: facts about startup, a server with data, all comparisons, the peers.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::compare::LoadResult;
use super::report::GatewayReport;
use super::serving::{BenchServer, WELL_KNOWN_KEY};
use super::work::RequestKind;
use super::{measure, peer, postgresql};
use crate::child::measured_by;
use crate::scratch_server::NOT_INSTALLED;
use crate::{Result, progress};

/// What to run.
#[derive(Clone, Debug)]
pub struct GatewayOptions {
    /// Items of the data set.
    pub items: u64,
    /// Rounds of each side.
    pub rounds: usize,
    /// How long one round is measured, in milliseconds.
    pub measured_ms: u64,
    /// Connections, and callers of the engine.
    pub connections: usize,
    /// The binary whose server is measured.
    pub server: PathBuf,
    /// This program, which is started again for what needs a process of its own.
    pub program: PathBuf,
    /// Where peers are installed; none leaves them out.
    pub peers: Option<PathBuf>,
}

/// The context of every measurement.
pub(super) struct GatewayBench {
    pub(super) options: GatewayOptions,
    pub(super) folder: TempDir,
}

/// A round of load.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadRound {
    pub(super) work: RequestKind,
    pub(super) connections: usize,
    pub(super) items: u64,
    /// Number of the first item that is created.
    pub(super) first: u64,
    pub(super) warm_up_ms: u64,
    pub(super) measured_ms: u64,
}

/// Runs the gateway benchmarks.
///
/// # Errors
/// Any failure: a missing number is better than a wrong one.
pub fn run_gateway(options: &GatewayOptions) -> Result<GatewayReport> {
    let folder = tempfile::Builder::new().prefix("benchmarks").tempdir()?;
    let bench = GatewayBench { options: options.clone(), folder };
    let mut report = GatewayReport::of(options);
    progress::step("starting on an empty folder");
    report.facts.extend(measure::starting(&bench)?);
    progress::step("loading the data set");
    let server = bench.loaded()?;
    for (letter, work, ratio_min) in [
        ('a', RequestKind::PointRead, Some(0.6)),
        ('c', RequestKind::Query, Some(0.4)),
        ('d', RequestKind::ChangeFeed, None),
        ('e', RequestKind::TwoConditions, None),
    ] {
        progress::step(&format!("{letter}: {work:?}"));
        let row = measure::beside_bare(&bench, &server, letter, (work, ratio_min))?;
        report.compared.push(row);
    }
    progress::step("memory under 64 connections");
    report.facts.push(measure::memory(&bench, &server)?);
    match postgresql::rows(&bench, &server)? {
        Some(rows) => report.compared.extend(rows),
        None => report.without_postgresql = Some(NOT_INSTALLED),
    }
    drop(server);
    progress::step("b: durable creates");
    report.compared.push(measure::creates(&bench)?);
    report.compared.sort_by_key(|row| row.letter);
    if let Some(folder) = &options.peers {
        report.peers = peer::all(&bench, folder, &report.compared)?;
    }
    Ok(report)
}

impl GatewayBench {
    /// Our server with all items.
    fn loaded(&self) -> Result<BenchServer> {
        let server = BenchServer::ours(&self.options.server, &self.path("loaded"))?;
        self.load_items(&server)?;
        Ok(server)
    }

    /// Creates the container and all items.
    pub(super) fn load_items(&self, server: &BenchServer) -> Result<()> {
        measure::create_container(server)?;
        let round = LoadRound {
            connections: 64,
            warm_up_ms: 0,
            measured_ms: 120_000,
            ..self.round(RequestKind::Create, self.options.items)
        };
        self.load(server, round)?;
        Ok(())
    }

    /// A round according to the options.
    pub(super) fn round(&self, work: RequestKind, items: u64) -> LoadRound {
        let GatewayOptions { measured_ms, connections, .. } = self.options;
        LoadRound { work, connections, items, first: 0, warm_up_ms: measured_ms / 5, measured_ms }
    }

    /// Loads a server from a process of its own.
    pub(super) fn load(&self, server: &BenchServer, round: LoadRound) -> Result<LoadResult> {
        let mut command = Command::new(&self.options.program);
        command.args(["process", "load", "--address", &server.address.to_string()]);
        command.args(["--key", WELL_KNOWN_KEY, "--work", &round.work.name()?]);
        for (name, value) in [
            ("--connections", round.connections as u64),
            ("--items", round.items),
            ("--first", round.first),
            ("--warm-up-ms", round.warm_up_ms),
            ("--measured-ms", round.measured_ms),
            ("--process", u64::from(server.process())),
        ] {
            command.arg(name).arg(value.to_string());
        }
        LoadResult::from_numbers(&measured_by(&mut command, "the load generator")?)
    }

    /// A folder of the run.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn program(&self) -> &Path {
        &self.options.program
    }
}
