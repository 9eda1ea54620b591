//! Settings: every value with where it came from. Secrets are masked by their type.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::configuration::{Everything, SettingsFlags};
use crate::failure::Failure;
use crate::output::line;

/// Tell the settings
#[derive(Debug, Args)]
pub(super) struct Settings {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print each setting, its value and where it came from
    Show(SettingsFlags),
}

impl Settings {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let What::Show(flags) = self.what;
        let loaded = flags.load::<Everything>(&[])?;
        line(loaded.show().trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
