//! The list of subcommands.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{budget, erase, retry, schema, send, serve, settings, tail};
use crate::error::CommandError;
use crate::open;

/// Run the notifications system: events in, an in-app list and pushes out
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere notifications serve --demo          users, events and a web page to try; prints sign-in links
  planisphere notifications serve --data DIR --settings notifications.toml
  planisphere notifications serve --connection-string env:COSMOS --set Identity:Issuer=https://id.example/ ...
  planisphere notifications send --data DIR --user bob --type POST_LIKE --target-id p1 --actor-name Alice
  planisphere notifications tail --endpoint http://localhost:8081/
  planisphere notifications retry --data DIR --dead
  planisphere notifications erase bob --data DIR --yes
  planisphere notifications schema export --to terraform
  planisphere notifications settings show --settings notifications.toml
  planisphere notifications budget --users 50000 --events-per-user 10 --reads-per-user 5

Only one process can open a folder. To run commands next to a service, let the service use a server
(`planisphere serve`) or an Azure account, and give the same --endpoint or --connection-string here.

Exit codes: 0 success, 1 something was not found or differs, 2 the command failed.")]
pub(crate) struct NotificationsCommand {
    #[command(subcommand)]
    subcommand: NotificationsSubcommand,
}

#[derive(Debug, Subcommand)]
enum NotificationsSubcommand {
    Serve(Box<serve::NotificationsServeCommand>),
    Send(Box<send::SendCommand>),
    Tail(Box<tail::TailCommand>),
    Retry(Box<retry::RetryCommand>),
    Erase(Box<erase::EraseCommand>),
    Schema(Box<schema::NotificationsSchemaCommand>),
    Settings(Box<settings::SettingsCommand>),
    Budget(budget::BudgetCommand),
}

impl NotificationsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            NotificationsSubcommand::Serve(serve) => open::block_on(serve.run()),
            NotificationsSubcommand::Send(send) => open::block_on(send.run()),
            NotificationsSubcommand::Tail(tail) => open::block_on(tail.run()),
            NotificationsSubcommand::Retry(retry) => open::block_on(retry.run()),
            NotificationsSubcommand::Erase(erase) => open::block_on(erase.run()),
            NotificationsSubcommand::Schema(schema) => schema.run(),
            NotificationsSubcommand::Settings(settings) => settings.run(),
            NotificationsSubcommand::Budget(budget) => open::block_on(budget.run()),
        }
    }
}
