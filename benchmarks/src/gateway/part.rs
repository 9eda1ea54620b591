//! The processes of a gateway benchmark: what this program does when it is started as one of them.
//!
//! A process prints its numbers as `name=value`, one per line; the baseline server prints its address.

use std::io::Write;
use std::path::PathBuf;

use clap::Subcommand;

use super::bare;
use super::engine_creates::EngineCreates;
use super::load::LoadArguments;
use crate::Result;

/// One process of a gateway benchmark.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchProcess {
    /// Loads a server and prints the measurements.
    Load(LoadArguments),
    /// Answers every request with one recorded response, until killed.
    Bare {
        /// File of the response.
        #[arg(long)]
        recorded: PathBuf,
    },
    /// Creates items durably without a server and prints the measurements.
    Engine(EngineCreates),
}

/// Runs one of them in this process.
///
/// # Errors
/// Whatever went wrong.
pub fn run_part(part: BenchProcess, out: &mut impl Write) -> Result<()> {
    match part {
        BenchProcess::Load(load) => load.run(out),
        BenchProcess::Bare { recorded } => bare::serve(&recorded, out),
        BenchProcess::Engine(creates) => creates.run(out),
    }
}
