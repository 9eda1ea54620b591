//! The list of subcommands.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{budget, erase, rebuild, savings, schema, serve, transfer};
use crate::error::CommandError;
use crate::open;

/// Run the world builder: nested entities of game worlds, a tree, a trash with undo
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere worlds serve --demo                        a world to try; prints a token
  planisphere worlds serve --data DIR --set AccessControl:Mode=anonymous
  planisphere worlds validate world.zip
  planisphere worlds import world.zip --data DIR --user ann
  planisphere worlds export WORLD world.zip --data DIR --user ann
  planisphere worlds rebuild --data DIR
  planisphere worlds erase ann --data DIR --yes
  planisphere worlds schema export --to bicep
  planisphere worlds budget
  planisphere worlds savings

Only one process can open a folder. To run commands next to a service, let the service use a server
(`planisphere serve`) or an Azure account.

Exit codes: 0 success, 1 something is not valid or above its budget, 2 the command failed.")]
pub(crate) struct WorldsCommand {
    #[command(subcommand)]
    subcommand: WorldsSubcommand,
}

#[derive(Debug, Subcommand)]
enum WorldsSubcommand {
    Serve(Box<serve::WorldsServeCommand>),
    Import(Box<transfer::ImportWorldCommand>),
    Validate(Box<transfer::ValidateWorldCommand>),
    Export(Box<transfer::ExportWorldCommand>),
    Rebuild(Box<rebuild::RebuildCommand>),
    Erase(Box<erase::EraseOwnerCommand>),
    Schema(Box<schema::WorldsSchemaCommand>),
    Settings(Box<schema::WorldsSettingsCommand>),
    Budget(budget::WorldsBudgetCommand),
    Savings(savings::SavingsCommand),
}

impl WorldsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            WorldsSubcommand::Serve(command) => open::block_on(command.run()),
            WorldsSubcommand::Import(command) => open::block_on(command.run()),
            WorldsSubcommand::Validate(command) => open::block_on(command.run()),
            WorldsSubcommand::Export(command) => open::block_on(command.run()),
            WorldsSubcommand::Rebuild(command) => open::block_on(command.run()),
            WorldsSubcommand::Erase(command) => open::block_on(command.run()),
            WorldsSubcommand::Schema(command) => command.run(),
            WorldsSubcommand::Settings(command) => command.run(),
            WorldsSubcommand::Budget(command) => open::block_on(command.run()),
            WorldsSubcommand::Savings(command) => open::block_on(command.run()),
        }
    }
}
