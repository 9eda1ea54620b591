//! Tenants: what there is, numbers, dropping, export; and the repair of what interrupted appends have left.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use event_store::ServiceId;

use super::open::{EventStoreFlags, OpenEventStore, parse_service, store_error};
use super::transfer;
use crate::error::CommandError;
use crate::output::{line, thousands};

/// Print the tenants with their numbers of events, tags and states
#[derive(Debug, Args)]
pub(super) struct StoreStatusCommand {
    #[command(flatten)]
    store: EventStoreFlags,
}

/// Complete what interrupted appends have left
#[derive(Debug, Args)]
pub(super) struct RepairCommand {
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    store: EventStoreFlags,
}

/// List, measure, drop and export tenants
#[derive(Debug, Args)]
pub(super) struct TenantCommand {
    #[command(subcommand)]
    subcommand: TenantSubcommand,
}

#[derive(Debug, Subcommand)]
enum TenantSubcommand {
    /// Print the ids of all tenants
    List {
        #[command(flatten)]
        store: EventStoreFlags,
    },
    /// Print the numbers of one tenant
    Stats(OneTenant),
    /// Delete everything of a tenant
    Drop {
        /// Really delete it
        #[arg(long)]
        yes: bool,

        #[command(flatten)]
        tenant: OneTenant,
    },
    /// Print all events of a tenant as lines of JSON
    Export(OneTenant),
}

#[derive(Debug, Args)]
struct OneTenant {
    /// The tenant
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: EventStoreFlags,
}

impl StoreStatusCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let open = self.store.open().await?;
        let done = async {
            for service in services(&open).await? {
                print_stats(&open, &service).await?;
            }
            Ok(ExitCode::SUCCESS)
        };
        let done = done.await;
        open.close(done).await
    }
}

impl RepairCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let open = self.store.open().await?;
        let repaired = open.system.storage().admin.repair(self.dry_run).await;
        let done = repaired.map_err(|error| store_error("repairing", &error)).and_then(|report| {
            let verb = if self.dry_run { "to do" } else { "done" };
            line(format_args!(
                "{} tags checked; {verb}: {} completed, {} cancelled, {} rows restored",
                thousands(report.tags_checked),
                report.rolled_forward,
                report.cleared,
                report.rows_restored
            ))?;
            let found = report.rolled_forward + report.cleared + report.rows_restored;
            Ok(if self.dry_run && found > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
        });
        open.close(done).await
    }
}

impl TenantCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            TenantSubcommand::List { store } => {
                let open = store.open().await?;
                let done = async {
                    for service in services(&open).await? {
                        line(service)?;
                    }
                    Ok(ExitCode::SUCCESS)
                };
                let done = done.await;
                open.close(done).await
            }
            TenantSubcommand::Stats(tenant) => {
                let service = parse_service(&tenant.id)?;
                let open = tenant.store.open().await?;
                let done = print_stats(&open, &service).await;
                open.close(done.map(|()| ExitCode::SUCCESS)).await
            }
            TenantSubcommand::Drop { yes, tenant } => drop_tenant(&tenant, yes).await,
            TenantSubcommand::Export(tenant) => {
                let service = parse_service(&tenant.id)?;
                let open = tenant.store.open().await?;
                let done = transfer::export(&open, &service).await;
                open.close(done).await
            }
        }
    }
}

async fn drop_tenant(tenant: &OneTenant, is_sure: bool) -> Result<ExitCode, CommandError> {
    let service = parse_service(&tenant.id)?;
    if !is_sure {
        let why = "everything of the tenant would be deleted";
        return Err(CommandError::new(format!("dropping {service}"), why)
            .hint("Export it first if you need it, then give --yes"));
    }
    let open = tenant.store.open().await?;
    let dropped = open.system.storage().admin.drop_service(&service).await;
    let done = dropped.map_err(|error| store_error("dropping the tenant", &error));
    let done = done.and_then(|count| {
        line(format_args!("{} events, rows and states of {service} deleted", thousands(count)))?;
        Ok(if count == 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
    });
    open.close(done).await
}

async fn services(open: &OpenEventStore) -> Result<Vec<ServiceId>, CommandError> {
    let services = open.system.storage().admin.services().await;
    services.map_err(|error| store_error("listing tenants", &error))
}

async fn print_stats(open: &OpenEventStore, service: &ServiceId) -> Result<(), CommandError> {
    let failed = |error| store_error("counting", &error);
    let scope = open.system.scope_of(service);
    let events = scope.events.event_count(None).await.map_err(failed)?;
    let tags = scope.events.all_tags(None).await.map_err(failed)?.len();
    let states = scope.states.list().await.map_err(failed)?.len();
    let last = scope.events.latest_sortable_unique_id().await.map_err(failed)?;
    let last = last.map_or("nothing yet".to_owned(), |last| format!("last {}", last.time()));
    line(format_args!(
        "{service}: {} events, {tags} tags, {states} states, {last}",
        thousands(events)
    ))
}
