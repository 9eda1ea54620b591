//! Loads the store with many tenants, checks their isolation, and prints what a catch-up costs the large and the small.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use event_store::{ServiceId, StoreProvider, TenancyLoad, TenancyLoadOptions, TenancyLoadReport};

use super::configuration::EventStoreCommandSettings;
use super::open::{OpenEventStore, empty_account, open_on, store_error};
use crate::command::system::{Calls, SettingsFlags, sum, table};
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "running the load";
/// Exit code if a tenant saw anything of another one, or missed something of its own.
const LEAK: u8 = 1;

/// Load a store with many tenants of very different sizes, and check their isolation for the whole time
#[derive(Debug, Args)]
#[command(after_help = "\
The store is in memory, or in PostgreSQL if the settings say so. The number n of the tenants gets a share of one by n of
all events. Afterwards each tenant projects all of its events; on an account the request units of that are printed.

Exit codes: 0 no tenant saw anything of another one, 1 one did, 2 the command failed.")]
pub(super) struct LoadCommand {
    /// Tenants
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    tenants: usize,

    /// Writers
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    writers: usize,

    /// Seconds
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    seconds: u64,

    #[command(flatten)]
    settings: SettingsFlags,
}

impl LoadCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let settings = self.settings.load::<EventStoreCommandSettings>(&[])?.value.event_store;
        let is_charged = settings.provider == StoreProvider::Account;
        let open = open_on(empty_account().await?, settings).await?;
        let options = TenancyLoadOptions {
            tenants: self.tenants,
            writers: self.writers,
            duration: Duration::from_secs(self.seconds),
        };
        let done = run(&open, options, is_charged).await;
        open.close(done).await
    }
}

async fn run(
    open: &OpenEventStore,
    options: TenancyLoadOptions,
    is_charged: bool,
) -> Result<ExitCode, CommandError> {
    let failed = |error| store_error(ACTION, &error);
    let seconds = options.duration.as_secs().max(1);
    let load = TenancyLoad::new(open.system.storage().clone(), options).map_err(failed)?;
    let report = load.run().await.map_err(failed)?;
    let total: u64 = report.events.iter().map(|(_, count)| count).sum();
    line(format_args!(
        "{total} events in {seconds} s, {} conflicts, {} reads checked, {} violations",
        report.conflicts,
        report.checks,
        report.violations.len()
    ))?;
    for violation in &report.violations {
        line(violation)?;
    }
    catch_ups(open, &report, is_charged).await?;
    let is_sound = report.violations.is_empty();
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(LEAK) })
}

/// Projects every tenant from its first event on, and prints what that costs.
async fn catch_ups(
    open: &OpenEventStore,
    report: &TenancyLoadReport,
    is_charged: bool,
) -> Result<(), CommandError> {
    let calls = Calls::start();
    let mut rows = Vec::new();
    for (service, events) in &report.events {
        catch_up(open, service, &calls).await?;
        let charge = sum(&calls.take());
        let each = charge / (*events).max(1) as f64;
        let cells = if is_charged {
            [format!("{charge:.2}"), format!("{each:.2}")]
        } else {
            ["-".to_owned(), "-".to_owned()]
        };
        let [charge, each] = cells;
        rows.push(vec![service.to_string(), events.to_string(), charge, each]);
    }
    line(table(&["tenant", "events", "catch-up RU", "RU each"], &[1, 2, 3], &rows))
}

async fn catch_up(
    open: &OpenEventStore,
    service: &ServiceId,
    calls: &Calls,
) -> Result<(), CommandError> {
    let failed = |error| store_error(ACTION, &error);
    let mut runner = open.system.projections().runner(service, "School").await.map_err(failed)?;
    runner.restart();
    calls.take();
    runner.catch_up().await.map_err(failed)
}
