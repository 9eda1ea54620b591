//! Prints every setting with its source. Secrets are masked by their type.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::configuration::AllSettings;
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::output::line;

/// Show the settings
#[derive(Debug, Args)]
pub(super) struct SettingsCommand {
    #[command(subcommand)]
    subcommand: SettingsSubcommand,
}

#[derive(Debug, Subcommand)]
enum SettingsSubcommand {
    /// Print each setting with its value and source
    Show(SettingsFlags),
}

impl SettingsCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let SettingsSubcommand::Show(flags) = self.subcommand;
        let loaded = flags.load::<AllSettings>(&[])?;
        line(loaded.show().trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
