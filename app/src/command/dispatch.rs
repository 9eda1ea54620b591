//! The list of commands.

use std::process::ExitCode;

use clap::{Command, Subcommand};

#[cfg(feature = "chat")]
use super::chat;
#[cfg(feature = "event-store")]
use super::event_store;
#[cfg(not(all(
    feature = "chat",
    feature = "event-store",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
)))]
use super::missing::MissingSystem;
#[cfg(feature = "notifications")]
use super::notifications;
#[cfg(feature = "secret-migration")]
use super::secret_migration;
#[cfg(feature = "worlds")]
use super::worlds;
use super::{
    backup, bench, completions, copy, cost, emulator, export, import, list, partitions, query,
    report, restore, schema, script, serve, verify, version,
};
use crate::error::CommandError;

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum PlanisphereCommand {
    Serve(Box<serve::ServeCommand>),
    Emulator(Box<emulator::EmulatorCommand>),
    Version(version::VersionCommand),
    Verify(verify::VerifyCommand),
    Bench(bench::BenchCommand),
    Export(export::ExportCommand),
    Import(import::ImportCommand),
    Copy(Box<copy::CopyCommand>),
    Backup(backup::BackupCommand),
    Restore(restore::RestoreCommand),
    List(list::ListCommand),
    Query(query::QueryCommand),
    Report(report::ReportCommand),
    Partitions(Box<partitions::PartitionsCommand>),
    Schema(Box<schema::SchemaCommand>),
    Script(Box<script::ScriptCommand>),
    Cost(cost::CostCommand),
    Completions(completions::CompletionsCommand),
    #[cfg(feature = "chat")]
    Chat(chat::ChatCommand),
    /// (not in this build) The room chat
    #[cfg(not(feature = "chat"))]
    Chat(MissingSystem),
    #[cfg(feature = "event-store")]
    EventStore(event_store::EventStoreCommand),
    /// (not in this build) The event store
    #[cfg(not(feature = "event-store"))]
    EventStore(MissingSystem),
    #[cfg(feature = "notifications")]
    Notifications(notifications::NotificationsCommand),
    /// (not in this build) The notification service
    #[cfg(not(feature = "notifications"))]
    Notifications(MissingSystem),
    #[cfg(feature = "secret-migration")]
    SecretMigration(secret_migration::SecretMigrationCommand),
    /// (not in this build) The secrets migration tracker
    #[cfg(not(feature = "secret-migration"))]
    SecretMigration(MissingSystem),
    #[cfg(feature = "worlds")]
    Worlds(worlds::WorldsCommand),
    /// (not in this build) The world builder
    #[cfg(not(feature = "worlds"))]
    Worlds(MissingSystem),
}

impl PlanisphereCommand {
    /// Runs it. `program` is the parser of the whole command line.
    pub(crate) fn run(self, program: &mut Command) -> Result<ExitCode, CommandError> {
        match self {
            Self::Serve(serve) => serve.run(),
            Self::Emulator(emulator) => emulator.run(),
            Self::Version(version) => version.run(),
            Self::Verify(verify) => verify.run(),
            Self::Bench(bench) => bench.run(),
            Self::Export(export) => export.run(),
            Self::Import(import) => import.run(),
            Self::Copy(copy) => copy.run(),
            Self::Backup(backup) => backup.run(),
            Self::Restore(restore) => restore.run(),
            Self::List(list) => list.run(),
            Self::Query(query) => query.run(),
            Self::Report(report) => report.run(),
            Self::Partitions(partitions) => partitions.run(),
            Self::Schema(schema) => schema.run(),
            Self::Script(script) => script.run(),
            Self::Cost(cost) => cost.run(),
            Self::Completions(completions) => completions.run(program),
            #[cfg(feature = "chat")]
            Self::Chat(chat) => chat.run(),
            #[cfg(not(feature = "chat"))]
            Self::Chat(missing) => missing.refuse("chat"),
            #[cfg(feature = "event-store")]
            Self::EventStore(store) => store.run(),
            #[cfg(not(feature = "event-store"))]
            Self::EventStore(missing) => missing.refuse("event-store"),
            #[cfg(feature = "notifications")]
            Self::Notifications(notifications) => notifications.run(),
            #[cfg(not(feature = "notifications"))]
            Self::Notifications(missing) => missing.refuse("notifications"),
            #[cfg(feature = "secret-migration")]
            Self::SecretMigration(tracker) => tracker.run(),
            #[cfg(not(feature = "secret-migration"))]
            Self::SecretMigration(missing) => missing.refuse("secret-migration"),
            #[cfg(feature = "worlds")]
            Self::Worlds(worlds) => worlds.run(),
            #[cfg(not(feature = "worlds"))]
            Self::Worlds(missing) => missing.refuse("worlds"),
        }
    }
}
