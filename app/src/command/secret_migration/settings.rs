//! Prints every setting with its source. Secrets are masked by their type.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::configuration::TrackerSettings;
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::output::line;

/// Show the settings
#[derive(Debug, Args)]
pub(super) struct TrackerSettingsCommand {
    #[command(subcommand)]
    subcommand: TrackerSettingsSubcommand,
}

#[derive(Debug, Subcommand)]
enum TrackerSettingsSubcommand {
    /// Print each setting with its value and source
    Show(SettingsFlags),
}

impl TrackerSettingsCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let TrackerSettingsSubcommand::Show(flags) = self.subcommand;
        let loaded = flags.load::<TrackerSettings>(&[])?;
        line(loaded.show().trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
