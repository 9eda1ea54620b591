//! Servers as child processes: started, measured, killed on drop.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use model::Json;

use super::wire::{RawResponse, send, signer};
use super::work::{LoadTarget, RequestKind, RequestPool};
use crate::meter::resident_bytes_of;
use crate::{Error, Result};

/// The well-known key of the emulators, which peers use too.
pub(super) const WELL_KNOWN_KEY: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// A running server.
pub(crate) struct BenchServer {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl BenchServer {
    /// Our server on a folder and a free port.
    pub(super) fn ours(program: &Path, folder: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["serve", "--port", "0", "--ready-json", "--key", WELL_KNOWN_KEY]);
        command.arg("--data").arg(folder);
        Self::start(&mut command, |line| {
            let ready = Json::parse(line.as_bytes()).map_err(|error| error.to_string())?;
            let endpoint = ready.get("ready").and_then(|ready| ready.get("endpoint"));
            let port = endpoint.and_then(Json::as_str).and_then(|text| text.rsplit(':').next());
            let port = port.ok_or_else(|| Error::from("the ready line names no port"))?;
            Ok(SocketAddr::from(([127, 0, 0, 1], port.trim_end_matches('/').parse()?)))
        })
    }

    /// The baseline server with a recorded response: this program again.
    pub(super) fn bare(program: &Path, recorded: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["process", "bare", "--recorded"]).arg(recorded);
        Self::start(&mut command, |line| Ok(line.trim().parse()?))
    }

    /// Any server that prints its address in one line.
    pub(crate) fn start(
        command: &mut Command,
        address: impl FnOnce(&str) -> Result<SocketAddr>,
    ) -> Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        // From here on the process is killed if anything fails.
        let mut serving = Self { child, address: nowhere };
        let output = serving.child.stdout.take().ok_or_else(|| Error::from("no output"))?;
        let mut line = String::new();
        // The pipe is closed here; nothing more is read from the server.
        BufReader::new(output).read_line(&mut line)?;
        serving.address = address(&line).map_err(|why| format!("{why}: it said '{line}'"))?;
        Ok(serving)
    }

    /// A server that prints nothing, at a given address.
    pub(super) fn silent(command: &mut Command, address: SocketAddr) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { child: command.spawn()?, address })
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory in bytes: now, and at its peak.
    pub(crate) fn resident_bytes(&self) -> Result<(u64, u64)> {
        resident_bytes_of(&self.process().to_string())
    }

    /// The response to the first request of a kind.
    pub(super) fn answer(&self, work: RequestKind, items: u64) -> Result<RawResponse> {
        let signer = signer(self.address, WELL_KNOWN_KEY)?;
        let target = LoadTarget { address: self.address, signer: &signer, items, first: 0 };
        let pool: RequestPool = work.pool(&target)?;
        let answer = send(self.address, pool.request(0).unwrap_or_default())?;
        if answer.status != pool.status {
            let body = String::from_utf8_lossy(&answer.body);
            return Err(format!("{work:?} was answered {}: {body}", answer.status).into());
        }
        Ok(answer)
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
