//! From single-tenant data to tenants: copies of containers, and steps of tables.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use event_store::{AccountStoreOptions, LegacyMigration, MigrationReport};
use service::copy::{Checkpoint, CheckpointStore, StopCondition};

use super::open::{EventStoreFlags, parse_service, store_error};
use crate::command::stop_signal;
use crate::error::CommandError;
use crate::output::line;

/// Bring single-tenant data to tenants
#[derive(Debug, Args)]
pub(super) struct MigrateCommand {
    #[command(subcommand)]
    subcommand: MigrateSubcommand,
}

#[derive(Debug, Subcommand)]
enum MigrateSubcommand {
    /// Copy the containers of a single-tenant program to new ones, in the same or another database
    Copy {
        /// Go on with what the old program writes, until ctrl-c
        #[arg(long)]
        follow: bool,

        /// Only say what would be written
        #[arg(long, conflicts_with = "follow")]
        dry_run: bool,

        /// Request units per second at most
        #[arg(long, value_name = "RU")]
        units: Option<NonZeroU32>,

        /// Files with the progress; their names begin with this
        #[arg(long, value_name = "PATH", default_value = "event-store-migration")]
        checkpoint: PathBuf,

        #[command(flatten)]
        target: MigrationTarget,
    },
    /// Compare both sides item by item; exit code 1 if something is missing or differs
    Verify(MigrationTarget),
    /// Compare both sides, and print the settings with which the program uses the new one
    Switch(MigrationTarget),
    /// Bring the tables of PostgreSQL up to date while an old program writes
    #[cfg(feature = "event-store-postgres")]
    Tables {
        /// Take the tenant out of the tables again; refused once there are several
        #[arg(long)]
        downgrade: bool,

        /// Turn row level security on, for a program that connects as this role
        #[arg(long, value_name = "ROLE", conflicts_with = "downgrade")]
        row_security: Option<String>,

        #[command(flatten)]
        store: EventStoreFlags,
    },
}

#[derive(Debug, Args)]
struct MigrationTarget {
    /// The database of the new containers; that of the old ones if absent
    #[arg(long, value_name = "NAME")]
    to_database: Option<String>,

    /// Ends the names of the new containers; needed in the same database
    #[arg(long, value_name = "TEXT", default_value = "")]
    to_suffix: String,

    /// The tenant that the data becomes
    #[arg(long, value_name = "ID", default_value = "default")]
    to_service: String,

    #[command(flatten)]
    store: EventStoreFlags,
}

/// Keeps a checkpoint in a file, which is replaced at once.
struct MigrationCheckpoint(PathBuf);

impl CheckpointStore for MigrationCheckpoint {
    fn load(&self) -> Result<Option<Checkpoint>, String> {
        match std::fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| error.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let text = serde_json::to_vec_pretty(checkpoint).map_err(|error| error.to_string())?;
        let new = self.0.with_extension("new");
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &self.0));
        written.map_err(|error| error.to_string())
    }
}

impl MigrateCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            MigrateSubcommand::Copy { dry_run: true, target, .. } => target.dry_run().await,
            MigrateSubcommand::Copy { follow, units, checkpoint, target, .. } => {
                target.copy(follow, units, checkpoint).await
            }
            MigrateSubcommand::Verify(target) => target.verify(false).await,
            MigrateSubcommand::Switch(target) => target.verify(true).await,
            #[cfg(feature = "event-store-postgres")]
            MigrateSubcommand::Tables { downgrade, row_security, store } => {
                tables(&store, downgrade, row_security.as_deref()).await
            }
        }
    }
}

impl MigrationTarget {
    async fn prepare(
        &self,
        units: Option<NonZeroU32>,
    ) -> Result<(client::Account, LegacyMigration, AccountStoreOptions), CommandError> {
        let (account, settings) = self.store.open_account().await?;
        let source = settings.account;
        let target = source.migrated_to(self.to_database.as_deref(), &self.to_suffix);
        let service = parse_service(&self.to_service)?;
        let migration = LegacyMigration::prepare(&account, &source, &target, &service, units).await;
        let migration =
            migration.map_err(|error| store_error("preparing the migration", &error))?;
        Ok((account, migration, target))
    }

    /// Says what a copy would write; creates nothing.
    async fn dry_run(&self) -> Result<ExitCode, CommandError> {
        let (account, settings) = self.store.open_account().await?;
        let source = settings.account;
        let target = source.migrated_to(self.to_database.as_deref(), &self.to_suffix);
        let service = parse_service(&self.to_service)?;
        let found = LegacyMigration::dry_run(&account, &source, &target, &service).await;
        let done = found.map_err(|error| store_error("comparing", &error)).and_then(|report| {
            for one in &report.containers {
                line(format_args!(
                    "{}: {} of {} items would be written",
                    one.name, one.differences, one.source_items
                ))?;
            }
            Ok(ExitCode::SUCCESS)
        });
        close(account, done).await
    }

    async fn copy(
        &self,
        follow: bool,
        units: Option<NonZeroU32>,
        checkpoint: PathBuf,
    ) -> Result<ExitCode, CommandError> {
        let (account, migration, _) = self.prepare(units).await?;
        let stores = move |name: &str| -> Box<dyn CheckpointStore> {
            let mut file = checkpoint.clone().into_os_string();
            file.push(format!("-{name}.json"));
            Box::new(MigrationCheckpoint(file.into()))
        };
        let until = if follow {
            let (stop, stopped) = tokio::sync::watch::channel(false);
            let signal = stop_signal()?;
            tokio::spawn(async move {
                signal.await;
                let _ = stop.send(true);
            });
            StopCondition::Signal(stopped)
        } else {
            StopCondition::CaughtUp
        };
        let done = migration.run(&stores, &until, &|_, _| {}).await;
        let done = done.map_err(|error| store_error("copying", &error)).and_then(|report| {
            for one in &report.containers {
                line(format_args!("{}: {} items written", one.name, one.written))?;
            }
            Ok(ExitCode::SUCCESS)
        });
        close(account, done).await
    }

    async fn verify(&self, is_switch: bool) -> Result<ExitCode, CommandError> {
        let (account, migration, target) = self.prepare(None).await?;
        let done = migration.verify().await;
        let done = done.map_err(|error| store_error("comparing", &error)).and_then(|report| {
            print_report(&report)?;
            if !report.is_complete() {
                line("Not everything is copied; run `migrate copy` again")?;
                return Ok(ExitCode::from(1));
            }
            if is_switch {
                line("Everything is copied. Stop the old program, then use these settings:")?;
                print_settings(&target)?;
            }
            Ok(ExitCode::SUCCESS)
        });
        close(account, done).await
    }
}

fn print_report(report: &MigrationReport) -> Result<(), CommandError> {
    for one in &report.containers {
        line(format_args!(
            "{}: {} items, {} in the new container, {} differences",
            one.name, one.source_items, one.target_items, one.differences
        ))?;
    }
    Ok(())
}

fn print_settings(target: &AccountStoreOptions) -> Result<(), CommandError> {
    line("[EventStore.Account]")?;
    line(format_args!("Database = \"{}\"", target.database))?;
    line(format_args!("EventsContainerName = \"{}\"", target.events_container_name))?;
    line(format_args!("TagsContainerName = \"{}\"", target.tags_container_name))?;
    let states = &target.multi_projection_states_container_name;
    line(format_args!("MultiProjectionStatesContainerName = \"{states}\""))?;
    line("UseLegacyPartitionKeyPaths = false")
}

async fn close<T>(
    account: client::Account,
    done: Result<T, CommandError>,
) -> Result<T, CommandError> {
    let closed = account.close().await;
    let done = done?;
    closed.map_err(|error| CommandError::from_error("closing the account", &error))?;
    Ok(done)
}

#[cfg(feature = "event-store-postgres")]
async fn tables(
    store: &EventStoreFlags,
    is_downgrade: bool,
    role: Option<&str>,
) -> Result<ExitCode, CommandError> {
    use event_store::{PostgresOptions, PostgresSchema, StoreProvider};
    let failed = |error: event_store::Error| store_error("changing the tables", &error);
    let (_, settings) = store.open_account().await?;
    if settings.provider != StoreProvider::Postgres {
        return Err(CommandError::new("changing the tables", "the provider is not PostgreSQL")
            .hint("Set EventStore:Provider=postgres and EventStore:PostgresConnection"));
    }
    let options = PostgresOptions {
        connection: settings.postgres_connection.expose().to_owned(),
        schema: settings.postgres_schema.clone(),
        connections_max: 2,
    };
    let schema = PostgresSchema::new(&options).map_err(failed)?;
    if is_downgrade {
        schema.downgrade().await.map_err(failed)?;
        line("The tables are those of a single-tenant program again")?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = schema.migrate().await.map_err(failed)?;
    line(format_args!("{} steps taken", report.applied.len()))?;
    line(format_args!("Redundant indexes that may be dropped: {}", report.droppable.join(", ")))?;
    if let Some(role) = role {
        schema.enable_row_level_security(role).await.map_err(failed)?;
        line(format_args!("Row level security is on; connect as {role}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
