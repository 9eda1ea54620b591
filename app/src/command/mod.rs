//! The commands of the binary, one file each.

mod bench;
mod version;

use std::process::ExitCode;

use clap::Subcommand;

use crate::failure::Failure;

/// What the user asks for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Version(version::Version),
    Bench(bench::Bench),
}

impl Command {
    /// Carries it out.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Version(version) => version.run(),
            Self::Bench(bench) => bench.run(),
        }
    }
}
