//! The list of subcommands.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{budget, playbook, privacy, rooms, schema, serve, users};
use crate::error::CommandError;
use crate::open;

/// Run the room chat: fixed rooms, one-time codes, presence, read receipts
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere chat serve --demo                   rooms and people to try; prints sign-in links
  planisphere chat serve --data DIR --settings chat.toml
  planisphere chat seed --data DIR
  planisphere chat users list --data DIR
  planisphere chat users add dora --data DIR --email dora@example.com --room general
  planisphere chat rooms add news --data DIR
  planisphere chat rooms export ops --data DIR > ops.jsonl
  planisphere chat erase bob@example.com --data DIR --yes
  planisphere chat export bob@example.com --data DIR > bob.jsonl
  planisphere chat playbook introduce-ttl --data DIR --seconds 2592000
  planisphere chat schema export --to terraform
  planisphere chat budget

Only one process can open a folder. To run commands next to a service, let the service use a server
(`planisphere serve`) or an Azure account, and give the same --endpoint or --connection-string here.

Exit codes: 0 success, 1 something was not found or differs, 2 the command failed.")]
pub(crate) struct ChatCommand {
    #[command(subcommand)]
    subcommand: ChatSubcommand,
}

#[derive(Debug, Subcommand)]
enum ChatSubcommand {
    Serve(Box<serve::ChatServeCommand>),
    Seed(Box<users::SeedCommand>),
    Users(Box<users::UsersCommand>),
    Rooms(Box<rooms::RoomsCommand>),
    Erase(Box<privacy::EraseUserCommand>),
    Export(Box<privacy::ExportUserCommand>),
    Playbook(Box<playbook::PlaybookCommand>),
    Schema(Box<schema::ChatSchemaCommand>),
    Settings(Box<schema::ChatSettingsCommand>),
    Budget(budget::ChatBudgetCommand),
}

impl ChatCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            ChatSubcommand::Serve(command) => open::block_on(command.run()),
            ChatSubcommand::Seed(command) => open::block_on(command.run()),
            ChatSubcommand::Users(command) => open::block_on(command.run()),
            ChatSubcommand::Rooms(command) => open::block_on(command.run()),
            ChatSubcommand::Erase(command) => open::block_on(command.run()),
            ChatSubcommand::Export(command) => open::block_on(command.run()),
            ChatSubcommand::Playbook(command) => open::block_on(command.run()),
            ChatSubcommand::Schema(command) => command.run(),
            ChatSubcommand::Settings(command) => command.run(),
            ChatSubcommand::Budget(command) => open::block_on(command.run()),
        }
    }
}
