//! Prints the containers of the tracker as a schema file.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use secret_migration::MigrationContainers;

use super::configuration::TrackerSettings;
use super::open::tracker_error;
use crate::command::schema::SchemaFormatArg;
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::output::line;
use crate::output::warn;

/// Print the containers of the tracker as a file
#[derive(Debug, Args)]
pub(super) struct TrackerSchemaCommand {
    #[command(subcommand)]
    subcommand: TrackerSchemaSubcommand,
}

#[derive(Debug, Subcommand)]
enum TrackerSchemaSubcommand {
    /// Print the containers as a schema file
    Export {
        /// The format
        #[arg(long, value_enum, value_name = "FORMAT")]
        to: SchemaFormatArg,

        #[command(flatten)]
        settings: SettingsFlags,
    },
}

impl TrackerSchemaCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let TrackerSchemaSubcommand::Export { to, settings } = self.subcommand;
        let settings = settings.load::<TrackerSettings>(&[])?.value;
        let schema = MigrationContainers::schema(&settings.migration);
        let schema = schema.map_err(|error| tracker_error("building the schema", &error))?;
        let exported = schema.export(to.format());
        for what in &exported.omitted {
            warn(&format!("left out, because the format cannot express it: {what}"));
        }
        line(exported.text.trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
