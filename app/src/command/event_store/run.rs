//! The list of subcommands.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{budget, events, load, migrate, project, serve, tenant, transfer};
use crate::error::CommandError;
use crate::open;

/// Run the event store: events with tags, conditional appends, projections, tenants
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere event-store serve --demo                 a school to try; prints tokens of two tenants
  planisphere event-store serve --data DIR --settings store.toml
  planisphere event-store status --data DIR
  planisphere event-store events tail --data DIR --service acme --follow
  planisphere event-store tags list --data DIR --service acme --group Student
  planisphere event-store project rebuild School --data DIR --service acme
  planisphere event-store migrate copy --data DIR --to-database tenants --to-service acme
  planisphere event-store repair --data DIR --dry-run
  planisphere event-store tenant export acme --data DIR > acme.jsonl
  planisphere event-store budget                       request units of every operation
  planisphere event-store load --tenants 20            many tenants, with a checker of isolation
  planisphere event-store import acme.jsonl --data DIR --service acme2

Only one process can open a folder. To run commands next to a service, let the service use a server
(`planisphere serve`), an Azure account or PostgreSQL (EventStore:Provider=postgres).

Exit codes: 0 success, 1 something was not found or differs, 2 the command failed.")]
pub(crate) struct EventStoreCommand {
    #[command(subcommand)]
    subcommand: EventStoreSubcommand,
}

#[derive(Debug, Subcommand)]
enum EventStoreSubcommand {
    Serve(Box<serve::EventStoreServeCommand>),
    Status(Box<tenant::StoreStatusCommand>),
    Events(Box<events::EventsCommand>),
    Tags(Box<events::TagsCommand>),
    Project(Box<project::ProjectCommand>),
    Migrate(Box<migrate::MigrateCommand>),
    Repair(Box<tenant::RepairCommand>),
    Export(Box<transfer::ExportEventsCommand>),
    Import(Box<transfer::ImportEventsCommand>),
    Tenant(Box<tenant::TenantCommand>),
    Budget(Box<budget::StoreBudgetCommand>),
    Load(Box<load::LoadCommand>),
}

impl EventStoreCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            EventStoreSubcommand::Serve(command) => open::block_on(command.run()),
            EventStoreSubcommand::Status(command) => open::block_on(command.run()),
            EventStoreSubcommand::Events(command) => open::block_on(command.run()),
            EventStoreSubcommand::Tags(command) => open::block_on(command.run()),
            EventStoreSubcommand::Project(command) => open::block_on(command.run()),
            EventStoreSubcommand::Migrate(command) => open::block_on(command.run()),
            EventStoreSubcommand::Repair(command) => open::block_on(command.run()),
            EventStoreSubcommand::Export(command) => open::block_on(command.run()),
            EventStoreSubcommand::Import(command) => open::block_on(command.run()),
            EventStoreSubcommand::Tenant(command) => open::block_on(command.run()),
            EventStoreSubcommand::Budget(command) => open::block_on(command.run()),
            EventStoreSubcommand::Load(command) => open::block_on(command.run()),
        }
    }
}
