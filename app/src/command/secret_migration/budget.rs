//! Measures the charge of the operations with both profiles, and compares it with the budgets.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use clap::Args;
use client::{Account, StorageLocation, TimestampMs, TravellingClock};
use engine::{Engine, Environment};
use model::ChargeProfile;
use secret_migration::{
    ClusterName, ExpectedVersion, HashiSecrets, MappingInput, MigrationSettings, NamespaceName,
    NoRollout, PlatformError, PlatformFailure, Platforms, RunScope, SecretData, SecretLocation,
    SecretMigration, SecretSource, SecretTarget, SecretVersion, SourceReference, SourceSecret,
    TargetSecret, TrackedWorkload, UtcTimestamp, WorkloadKey,
};
use serde_json::json;

use super::open::tracker_error;
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "measuring the operations";
/// 2025-06-10T12:00:00Z.
const NOON_MS: u64 = 1_749_556_800_000;
/// Exit code if an operation costs more than its budget.
const OVER: u8 = 1;
const REFERENCES: usize = 50;
const PENDING: usize = 100;

/// Measure the charge of the operations and compare it with the budgets
#[derive(Debug, Args)]
#[command(after_help = "\
The charges are those of our model (docs/request-charges.md), measured in memory with the profiles azure and native.

Exit codes: 0 nothing costs more than its budget, 1 something does, 2 the command failed.")]
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

impl TrackerBudgetCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let azure = measure(ChargeProfile::Azure).await?;
        let native = measure(ChargeProfile::Native).await?;
        let mut is_over = false;
        if !self.json {
            line(format_args!(
                "{:<8}{:<48}{:>8}{:>9}{:>9}",
                "", "operation", "budget", "azure", "native"
            ))?;
        }
        for (row, other) in azure.iter().zip(&native) {
            is_over |= row.budget.is_some_and(|budget| row.charge > budget);
            let (id, operation) = (row.id, row.operation);
            if self.json {
                line(json!({
                    "id": id, "operation": operation, "budget": row.budget, "azure": row.charge,
                    "native": other.charge,
                }))?;
                continue;
            }
            let budget = row.budget.map_or("-".to_owned(), |budget| format!("{budget:.0}"));
            let (azure, native) = (row.charge, other.charge);
            line(format_args!("{id:<8}{operation:<48}{budget:>8}{azure:>9.2}{native:>9.2}"))?;
        }
        Ok(if is_over { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
    }
}

async fn measure(profile: ChargeProfile) -> Result<Vec<BudgetRow>, CommandError> {
    let failed = |error| tracker_error(ACTION, &error);
    let data = |error: client::Error| CommandError::from_error(ACTION, &error);
    let (system, cluster) = open(profile).await?;
    let mut rows = Vec::new();
    let mut row = |id, operation, budget, charge| {
        rows.push(BudgetRow { id, operation, budget, charge });
    };
    let large = add(&system, &cluster, "large", REFERENCES).await?;
    let namespace = &large.namespace;
    let (_, charge) = system.charged_mapping(&cluster, namespace).await.map_err(failed)?;
    row("SM-032", "look up the mapping of a namespace", Some(1.0), charge);
    let workloads = &system.containers().workloads;
    let key = large.partition_key();
    let read = workloads.read::<TrackedWorkload>(&key, &large.id()).await.map_err(data)?;
    row("SM-029", "resolve a workload, 50 references", None, read.charge);
    let mut item = read.value;
    item.value.attempts += 1;
    let saved = workloads.save(&key, &item).await.map_err(data)?;
    row("SM-032", "update a status, 50 references", Some(12.0), saved.charge);
    row("SM-032", "claim: read and update, 50 references", Some(12.0), read.charge + saved.charge);
    for number in 1..PENDING {
        add(&system, &cluster, &format!("small-{number}"), 3).await?;
    }
    let page = system.pending(&cluster, None).await.map_err(failed)?;
    row("SM-032", "page of 100 pending workloads", Some(6.0), page.charge);
    let report = system.run_cluster(&cluster, RunScope::All, "measured").await.map_err(failed)?;
    let each = report.charge / (report.migrated.max(1) as f64);
    row("SM-A14", "migrate a workload, without its step entries", None, each);
    let page = system.pending(&cluster, None).await.map_err(failed)?;
    row("SM-A3", "pending list beside 100 finished", Some(6.0), page.charge);
    Ok(rows)
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
