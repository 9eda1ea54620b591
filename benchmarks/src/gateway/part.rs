//! The processes of the gateway, fan-out and chat benchmarks: what this program does when it is started as one of them.
//!
//! A process prints its numbers as `name=value`, one per line; the baseline server prints its address.

use std::io::Write;
use std::path::PathBuf;

use clap::Subcommand;

use super::bare;
use super::engine_creates::EngineCreates;
use super::load::LoadArguments;
use super::postgresql::PostgresLoad;
use crate::Result;
use crate::chat::{ServedChat, serve_chat};
use crate::fan_out::{serve_bare, serve_hub};

/// One process of a gateway or fan-out benchmark.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchProcess {
    /// Loads a server and prints the measurements.
    Load(LoadArguments),
    /// Loads a PostgreSQL server and prints the measurements.
    PostgresLoad(PostgresLoad),
    /// Answers every request with one recorded response, until killed.
    Bare {
        /// File of the response.
        #[arg(long)]
        recorded: PathBuf,
    },
    /// Creates items durably without a server and prints the measurements.
    Engine(EngineCreates),
    /// Serves a SignalR hub with rooms, until killed.
    Hub,
    /// Serves rooms on WebSockets without a protocol, until killed.
    BareRooms,
    /// Serves a chat with rooms and members, until killed.
    Chat(ServedChat),
}

/// Runs one of them in this process.
///
/// # Errors
/// Whatever went wrong.
pub fn run_part(part: BenchProcess, out: &mut impl Write) -> Result<()> {
    match part {
        BenchProcess::Load(load) => load.run(out),
        BenchProcess::PostgresLoad(load) => load.run(out),
        BenchProcess::Bare { recorded } => bare::serve(&recorded, out),
        BenchProcess::Engine(creates) => creates.run(out),
        BenchProcess::Hub => serve_hub(out),
        BenchProcess::BareRooms => serve_bare(out),
        BenchProcess::Chat(served) => serve_chat(&served, out),
    }
}
