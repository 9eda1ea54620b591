//! Prints the containers of the world builder as a schema file, its property schemas, and its settings.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use worlds::{WorldContainers, shipped_schemas};

use super::configuration::WorldsCommandSettings;
use super::open::worlds_error;
use crate::command::schema::SchemaFormatArg;
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::output::{line, warn};

/// Print the containers, or a property schema
#[derive(Debug, Args)]
pub(super) struct WorldsSchemaCommand {
    #[command(subcommand)]
    subcommand: WorldsSchemaSubcommand,
}

/// Show the settings
#[derive(Debug, Args)]
pub(super) struct WorldsSettingsCommand {
    #[command(subcommand)]
    subcommand: WorldsSettingsSubcommand,
}

#[derive(Debug, Subcommand)]
enum WorldsSchemaSubcommand {
    /// Print the containers as a schema file
    Export {
        /// The format
        #[arg(long, value_enum, value_name = "FORMAT")]
        to: SchemaFormatArg,

        #[command(flatten)]
        settings: SettingsFlags,
    },
    /// Print a property schema of the program as JSON Schema, or the ids of all
    Properties {
        /// Id of the schema
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum WorldsSettingsSubcommand {
    /// Print each setting with its value and source
    Show(SettingsFlags),
}

impl WorldsSchemaCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            WorldsSchemaSubcommand::Export { to, settings } => {
                let settings = settings.load::<WorldsCommandSettings>(&[])?.value.system;
                let schema = WorldContainers::schema(&settings);
                let schema = schema.map_err(|error| worlds_error("building the schema", &error))?;
                let exported = schema.export(to.format());
                for what in &exported.omitted {
                    warn(&format!("left out, because the format cannot express it: {what}"));
                }
                line(exported.text.trim_end())?;
            }
            WorldsSchemaSubcommand::Properties { id: None } => {
                shipped_schemas().iter().try_for_each(|schema| line(&schema.id))?;
            }
            WorldsSchemaSubcommand::Properties { id: Some(id) } => {
                let schema = shipped_schemas().into_iter().find(|schema| schema.id == id);
                let schema = schema.ok_or_else(|| {
                    CommandError::new(format!("finding '{id}'"), "there is no such schema")
                        .hint("List them with `planisphere worlds schema properties`")
                })?;
                line(format_args!("{:#}", schema.to_json_schema()))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl WorldsSettingsCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let WorldsSettingsSubcommand::Show(flags) = self.subcommand;
        line(flags.load::<WorldsCommandSettings>(&[])?.show().trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
