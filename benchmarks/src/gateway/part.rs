//! The processes of a gateway benchmark: what this program does when it was started as one of them.
//!
//! Owns which parts there are. A part prints its numbers as `name=value`, one per line; the bare server prints where it
//! listens.

use std::io::Write;
use std::path::PathBuf;

use clap::Subcommand;

use super::bare;
use super::engine_creates::EngineCreates;
use super::load::Load;
use crate::Result;

/// One process of a gateway benchmark.
#[derive(Clone, Debug, Subcommand)]
pub enum Part {
    /// Loads a server and prints what was seen.
    Load(Load),
    /// Answers every request with one recorded response, until killed.
    Bare {
        /// File of the response.
        #[arg(long)]
        recorded: PathBuf,
    },
    /// Creates items durably without any server, and prints what it took.
    Engine(EngineCreates),
}

/// Runs one part in this process.
///
/// # Errors
/// Whatever went wrong.
pub fn run_part(part: Part, out: &mut impl Write) -> Result<()> {
    match part {
        Part::Load(load) => load.run(out),
        Part::Bare { recorded } => bare::serve(&recorded, out),
        Part::Engine(creates) => creates.run(out),
    }
}
