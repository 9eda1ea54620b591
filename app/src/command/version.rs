//! `planisphere version`: prints what this binary is.

use std::process::ExitCode;

use clap::Args;

use crate::error::CommandError;
use crate::output;

/// Print the name, the version, the storage format version and the build profile.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  planisphere version
  planisphere 0.1.0
  storage format 4
  profile release")]
pub(crate) struct VersionCommand {}

impl VersionCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
        output::line(format_args!("planisphere {}", env!("CARGO_PKG_VERSION")))?;
        output::line(format_args!("storage format {}", storage_lsm::FORMAT_VERSION))?;
        output::line(format_args!("profile {profile}"))?;
        Ok(ExitCode::SUCCESS)
    }
}
