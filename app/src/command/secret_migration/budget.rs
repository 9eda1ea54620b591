//! Measures the charge of the operations with both profiles, and compares it with the budgets.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use clap::Args;
use client::{Account, StorageLocation, TimestampMs, TravellingClock};
use engine::{Engine, Environment};
use model::ChargeProfile;
use secret_migration::{
    ClusterName, ExpectedVersion, HashiSecrets, MappingInput, MigrationSettings, NamespaceName,
    NoRollout, PlatformError, PlatformFailure, Platforms, RunScope, SecretData, SecretLocation,
    SecretMigration, SecretSource, SecretTarget, SecretVersion, SourceReference, SourceSecret,
    TargetSecret, TrackedWorkload, Transition, UtcTimestamp, WorkloadKey,
};
use serde_json::json;

use super::open::tracker_error;
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "measuring the operations";
/// 2025-06-10T12:00:00Z.
const NOON_MS: u64 = 1_749_556_800_000;
/// Exit code if an operation costs more than the budget and its tolerance.
const OVER: u8 = 1;
const REFERENCES: usize = 50;
const PENDING: usize = 100;
const LEASE: Duration = Duration::from_secs(300);

/// A figure up to this many times its budget is published and marked; a larger one is a failure.
const TOLERANCE: f64 = 2.0;

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

/// One operation.
struct BudgetRow {
    id: &'static str,
    operation: &'static str,
    /// Request units at most; `None` if the requirements have no figure.
    budget: Option<f64>,
    charge: f64,
}

impl BudgetRow {
    fn is_failed(&self) -> bool {
        self.budget.is_some_and(|budget| self.charge > TOLERANCE * budget)
    }

    /// The charge as a cell, marked if it is above the budget.
    fn cell(&self) -> String {
        let is_above = self.budget.is_some_and(|budget| self.charge > budget);
        format!("{:.2}{}", self.charge, if is_above { "*" } else { " " })
    }
}

impl TrackerBudgetCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let azure = measure(ChargeProfile::Azure).await?;
        let native = measure(ChargeProfile::Native).await?;
        let mut is_failed = false;
        if !self.json {
            line(format_args!(
                "{:<8}{:<56}{:>8}{:>9}{:>9}",
                "", "operation", "budget", "azure ", "native "
            ))?;
        }
        for (azure, native) in azure.iter().zip(&native) {
            is_failed |= azure.is_failed() || native.is_failed();
            let (id, operation) = (azure.id, azure.operation);
            if self.json {
                line(json!({
                    "id": id, "operation": operation, "budget": azure.budget,
                    "azure": azure.charge, "native": native.charge,
                }))?;
                continue;
            }
            let budget = azure.budget.map_or("-".to_owned(), |budget| format!("{budget:.0}"));
            let (azure, native) = (azure.cell(), native.cell());
            line(format_args!("{id:<8}{operation:<56}{budget:>8}{azure:>9}{native:>9}"))?;
        }
        Ok(if is_failed { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
    }
}

async fn measure(profile: ChargeProfile) -> Result<Vec<BudgetRow>, CommandError> {
    let failed = |error| tracker_error(ACTION, &error);
    let (system, cluster) = open(profile).await?;
    let mut rows = Vec::new();
    let mut row = |id, operation, budget, charge| {
        rows.push(BudgetRow { id, operation, budget, charge });
    };
    let large = add(&system, &cluster, "large", REFERENCES).await?;
    let claimed = add(&system, &cluster, "claimed", REFERENCES).await?;
    let (_, charge) = system.charged_mapping(&cluster, &large.namespace).await.map_err(failed)?;
    row("SM-032", "look up the mapping of a namespace", Some(1.0), charge);
    let claim = Transition::Claim { worker: "measured".to_owned(), lease: LEASE };
    let (read, update) = change(&system, &claimed, claim).await?;
    row("SM-029", "resolve a workload, 50 references", None, read);
    row("SM-032", "update a status, 50 references", Some(12.0), update);
    row("SM-032", "claim: read and update, 50 references", Some(12.0), read + update);
    for number in 1..PENDING {
        add(&system, &cluster, &format!("small-{number}"), 3).await?;
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

async fn open(profile: ChargeProfile) -> Result<(SecretMigration, ClusterName), CommandError> {
    let failed = |error| tracker_error(ACTION, &error);
    let clock = TravellingClock::starting_at(TimestampMs(NOON_MS));
    let environment = Environment::travelling(Arc::clone(&clock), 7);
    let settings = engine::EngineSettings {
        charge_profile: profile,
        maintenance: false,
        ..engine::EngineSettings::default()
    };
    let store = Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, environment.clone(), settings).await;
    let engine = engine.map_err(|error| CommandError::from_error(ACTION, &error))?;
    let account = Account::embedded(StorageLocation::Engine(engine)).await;
    let account = account.map_err(|error| CommandError::from_error(ACTION, &error))?;
    let target = MeasuredTarget::default();
    let platforms = Platforms {
        source: Arc::new(MeasuredSource),
        target: Arc::new(target),
        rollout: Arc::new(NoRollout),
    };
    let settings = MigrationSettings::default();
    let system = SecretMigration::open(account, settings, environment, platforms).await;
    let system = system.map_err(failed)?;
    let wrong = |why: String| CommandError::new(ACTION, why);
    let cluster = ClusterName::parse("measured").map_err(wrong)?;
    let input = MappingInput {
        smp_address: None,
        smp_path: "apps/shop".to_owned(),
        environment: None,
        temporary: false,
        source_created_at: None,
    };
    let namespaces = vec![(NamespaceName::parse("shop").map_err(wrong)?, input)];
    system.sync_namespaces(&cluster, namespaces).await.map_err(failed)?;
    Ok((system, cluster))
}

async fn add(
    system: &SecretMigration,
    cluster: &ClusterName,
    name: &str,
    references: usize,
) -> Result<WorkloadKey, CommandError> {
    let key = WorkloadKey::parse(cluster.as_str(), "shop", name);
    let key = key.map_err(|why| CommandError::new(ACTION, why))?;
    let items = (0..references).map(|number| SourceReference {
        path: format!("team/{name}/service-{number:02}"),
        keys: vec!["password".to_owned()],
        ..SourceReference::default()
    });
    let secrets = HashiSecrets {
        mount: "secret".to_owned(),
        items: items.collect(),
        ..HashiSecrets::default()
    };
    let now = UtcTimestamp::now(system.account().environment());
    let workload = TrackedWorkload::discovered(&key, None, secrets, "measured", now);
    let created = system.containers().workloads.create(&key.partition_key(), &workload).await;
    created.map_err(|error| CommandError::from_error(ACTION, &error))?;
    Ok(key)
}

fn secret() -> Result<SecretData, PlatformError> {
    SecretData::parse(br#"{"password":"measured"}"#).map_err(|why| PlatformError {
        failure: PlatformFailure::Garbage { why },
        subject: "measured".to_owned(),
    })
}

/// Has the same secret everywhere.
struct MeasuredSource;

#[async_trait]
impl SecretSource for MeasuredSource {
    async fn read(
        &self,
        _: &SecretLocation,
        _: Option<u64>,
    ) -> Result<SourceSecret, PlatformError> {
        Ok(SourceSecret { version: 1, data: secret()? })
    }

    async fn live_version(&self, _: &SecretLocation) -> Result<u64, PlatformError> {
        Ok(1)
    }
}

/// Keeps versions only.
#[derive(Default)]
struct MeasuredTarget(Mutex<BTreeMap<String, u64>>);

#[async_trait]
impl SecretTarget for MeasuredTarget {
    async fn read(&self, path: &str) -> Result<Option<TargetSecret>, PlatformError> {
        let version = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        match version {
            Some(version) => Ok(Some(TargetSecret { version: version.into(), data: secret()? })),
            None => Ok(None),
        }
    }

    async fn write(
        &self,
        path: &str,
        _: &SecretData,
        _: &ExpectedVersion,
    ) -> Result<SecretVersion, PlatformError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), 1);
        Ok(1.into())
    }
}
