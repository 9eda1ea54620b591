//! Measures the charge of the operations with both profiles, and compares it with the budgets.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use model::ChargeProfile;
use secret_migration::{
    MigrationSettings, RunScope, SecretMigration, TrackedWorkload, Transition, UtcTimestamp,
    WorkloadKey, sample,
};

use super::open::tracker_error;
use crate::command::system::{BudgetRow, BudgetTable, measured_account};
use crate::error::CommandError;

const ACTION: &str = "measuring the operations";
const REFERENCES: usize = 50;
const PENDING: usize = 100;
const LEASE: Duration = Duration::from_secs(300);

/// Measure the charge of the operations and compare it with the budgets
#[derive(Debug, Args)]
#[command(after_help = "\
The charges are those of our model (docs/request-charges.md), measured in memory with the profiles azure and native.

A figure marked * is above its budget. The profile azure charges a replace for the removal of the old version as well:
an item of more than 1 KB cannot be replaced for less than 12.6 request units, whatever is indexed. A query is charged
for the size of the items that it returns, whatever it selects of them.

Exit codes: 0 nothing costs more than twice its budget, 1 something does, 2 the command failed.")]
pub(super) struct TrackerBudgetCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl TrackerBudgetCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let azure = measure(ChargeProfile::Azure).await?;
        let native = measure(ChargeProfile::Native).await?;
        BudgetTable { azure, native }.print(self.json)
    }
}

async fn measure(profile: ChargeProfile) -> Result<Vec<BudgetRow>, CommandError> {
    let failed = |error| tracker_error(ACTION, &error);
    let system = open(profile).await?;
    let cluster = sample::add_cluster(&system, "measured").await.map_err(failed)?;
    let add = async |name: &str, references| {
        sample::add_workload(&system, &cluster, name, references).await.map_err(failed)
    };
    let mut rows = Vec::new();
    let mut row = |id, operation, budget, charge| {
        rows.push(BudgetRow { id, operation, budget, charge, terms: String::new() });
    };
    let large = add("large", REFERENCES).await?;
    let claimed = add("claimed", REFERENCES).await?;
    let (_, charge) = system.charged_mapping(&cluster, &large.namespace).await.map_err(failed)?;
    row("SM-032", "look up the mapping of a namespace", Some(1.0), charge);
    let claim = Transition::Claim { worker: "measured".to_owned(), lease: LEASE };
    let (read, update) = change(&system, &claimed, claim).await?;
    row("SM-029", "resolve a workload, 50 references", None, read);
    row("SM-032", "update a status, 50 references", Some(12.0), update);
    row("SM-032", "claim: read and update, 50 references", Some(12.0), read + update);
    for number in 1..PENDING {
        add(&format!("small-{number}"), 3).await?;
    }
    let page = system.pending(&cluster, None).await.map_err(failed)?;
    row("SM-032", "page of 100 pending workloads, 3 references each", Some(6.0), page.charge);
    let report = system.run_cluster(&cluster, RunScope::All, "measured").await.map_err(failed)?;
    let each = report.charge / (report.migrated.max(1) as f64);
    row("SM-A14", "migrate a workload, all steps and audit entries", None, each);
    let back = Transition::RollBack { reason: "measured".to_owned() };
    let (_, update) = change(&system, &large, back).await?;
    row("SM-032", "roll back: update, 50 references on both platforms", Some(12.0), update);
    let page = system.pending(&cluster, None).await.map_err(failed)?;
    row("SM-A3", "pending list beside 100 finished", Some(6.0), page.charge);
    Ok(rows)
}

/// Changes a workload as the tracker does. Returns the charges of its read and its write.
async fn change(
    system: &SecretMigration,
    key: &WorkloadKey,
    transition: Transition,
) -> Result<(f64, f64), CommandError> {
    let failed = |error: client::Error| CommandError::from_error(ACTION, &error);
    let workloads = &system.containers().workloads;
    let partition = key.partition_key();
    let read = workloads.read::<TrackedWorkload>(&partition, &key.id()).await.map_err(failed)?;
    let mut item = read.value;
    // A second later: the time of the change is indexed.
    let now = UtcTimestamp::now(system.account().environment()).after(Duration::from_secs(1));
    let changed = item.value.apply(transition, "measured", now);
    changed.map_err(|illegal| CommandError::new(ACTION, illegal.to_string()))?;
    let saved = workloads.save(&partition, &item).await.map_err(failed)?;
    Ok((read.charge, saved.charge))
}

/// A tracker in memory.
async fn open(profile: ChargeProfile) -> Result<SecretMigration, CommandError> {
    let (account, _) = measured_account(ACTION, profile).await?;
    let opened = sample::open(account, MigrationSettings::default(), Duration::ZERO).await;
    opened.map_err(|error| tracker_error(ACTION, &error))
}
