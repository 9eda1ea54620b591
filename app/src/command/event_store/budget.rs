//! Measures the charge of the operations with both profiles, and compares it with the figures of the requirements.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use client::TravellingClock;
use event_store::sample::sample_projectors;
use event_store::{
    AccountStorage, AccountStoreOptions, AppendRequest, EventDraft, EventStoreSettings,
    EventStoreSystem, EventTag, MemoryPayloads, ServiceId, StoreScope, Upcasters,
};
use model::ChargeProfile;
use serde_json::json;

use super::open::{parse_service, store_error};
use crate::command::system::{BudgetRow, BudgetTable, Calls, measured_account, sum, terms};
use crate::error::CommandError;

const ACTION: &str = "measuring the operations";
/// Events of the tenant that all others share containers with.
const LARGE: usize = 2_000;
const SMALL: usize = 20;

/// Measure the charge of the operations and compare it with the requirements
#[derive(Debug, Args)]
#[command(after_help = "\
The charges are those of our model (docs/request-charges.md), measured in memory with the profiles azure and native. A
figure is the upper bound of the requirements: 7 for an event and 7 for each row of a tag (DC-043), 3 for a query in a
tag and 1 for each event (DC-042). * is above its figure, ** above twice of it. The requirements count no heads and no
reservations; DC-X9 adds both, about 30 request units for each tag of an append.

Exit codes: 0 nothing costs more than twice its figure, 1 something does, 2 the command failed.")]
pub(super) struct StoreBudgetCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

struct MeasuredStore {
    system: EventStoreSystem,
    clock: Arc<TravellingClock>,
    calls: Calls,
    rows: Vec<BudgetRow>,
}

impl StoreBudgetCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let calls = Calls::start();
        let azure = measure(ChargeProfile::Azure, &calls).await?;
        let native = measure(ChargeProfile::Native, &calls).await?;
        BudgetTable { azure, native }.print(self.json)
    }
}

async fn measure(profile: ChargeProfile, calls: &Calls) -> Result<Vec<BudgetRow>, CommandError> {
    let failed = |error| store_error(ACTION, &error);
    let (account, clock) = measured_account(ACTION, profile).await?;
    let options = AccountStoreOptions::default();
    let payloads = Arc::new(MemoryPayloads::default());
    let storage = AccountStorage::open(account, options, payloads).await.map_err(failed)?;
    let settings = EventStoreSettings::default();
    let system =
        EventStoreSystem::new(storage, settings, sample_projectors(), Upcasters::default());
    let mut run = MeasuredStore { system, clock, calls: calls.clone(), rows: Vec::new() };
    run.appends().await?;
    run.reads().await?;
    run.tenants().await?;
    Ok(run.rows)
}

impl MeasuredStore {
    fn scope(&self, tenant: &str) -> Result<(StoreScope, ServiceId), CommandError> {
        let service = parse_service(tenant)?;
        Ok((self.system.scope_of(&service), service))
    }

    /// Takes what was charged since the last time as a row.
    fn row(&mut self, id: &'static str, operation: &'static str, figure: Option<f64>, share: f64) {
        let calls = self.calls.take();
        let row = BudgetRow {
            id,
            operation,
            budget: figure,
            charge: sum(&calls) / share,
            terms: terms(&calls),
        };
        self.rows.push(row);
    }

    /// Appends events with tags of one name, so that a second append finds their heads.
    async fn append(&self, tenant: &str, events: usize, tags: &[&str]) -> Result<(), CommandError> {
        let failed = |error| store_error(ACTION, &error);
        let tags = tags.iter().map(|text| EventTag::parse(text));
        let tags: Vec<_> = tags.collect::<event_store::Result<_>>().map_err(failed)?;
        let draft = || {
            let payload = json!({ "studentId": "s1", "name": "Ann Example", "maxClassCount": 5 });
            EventDraft::new("StudentCreated", payload, tags.clone())
        };
        let request = AppendRequest::new((0..events).map(|_| draft()).collect());
        self.clock.travel(Duration::from_millis(10));
        self.scope(tenant)?.0.events.append(request).await.map_err(failed)?;
        Ok(())
    }

    async fn appends(&mut self) -> Result<(), CommandError> {
        let three = ["Student:s1", "ClassRoom:c1", "School:1"];
        for tag in three {
            self.append("acme", 1, &[tag]).await?;
        }
        self.calls.take();
        self.append("acme", 1, &[]).await?;
        self.row("DC-043", "append an event without tags", Some(7.0), 1.0);
        self.append("acme", 1, &["Student:new"]).await?;
        self.row("DC-043", "append an event with a new tag", Some(14.0), 1.0);
        self.append("acme", 1, &["Student:s1"]).await?;
        self.row("DC-043", "append an event with a tag", Some(14.0), 1.0);
        self.append("acme", 1, &three).await?;
        self.row("DC-043", "append an event with three tags", Some(28.0), 1.0);
        self.append("acme", 10, &["Student:s1"]).await?;
        self.row("DC-043", "append ten events with a tag, each", Some(14.0), 10.0);
        Ok(())
    }

    async fn reads(&mut self) -> Result<(), CommandError> {
        let failed = |error| store_error(ACTION, &error);
        for _ in 0..10 {
            self.append("acme", 1, &["Student:ten"]).await?;
        }
        let (scope, _) = self.scope("acme")?;
        let (store, states) = (scope.events, scope.states);
        let tag = EventTag::parse("Student:ten").map_err(failed)?;
        let row = store.latest_tag(&tag).await.map_err(failed)?;
        self.calls.take();
        if let Some(row) = row {
            store.read_event(row.event_id).await.map_err(failed)?;
            self.row("DC-041", "read an event", Some(1.0), 1.0);
        }
        store.read_by_tag(&tag, None).await.map_err(failed)?;
        self.row("DC-042", "read a tag of ten events", Some(13.0), 1.0);
        store.latest_tag(&tag).await.map_err(failed)?;
        self.row("DC-046", "version of a tag", Some(3.0), 1.0);
        store.read_tags(&tag).await.map_err(failed)?;
        self.row("DC-046", "rows of a tag of ten events", Some(3.0), 1.0);
        store.latest_sortable_unique_id().await.map_err(failed)?;
        self.row("DC-047", "last position", None, 1.0);
        let now = service::timestamp::UtcTimestamp::now(store.environment());
        let state = event_store::ProjectionState::new("Measured", "1", b"{}".to_vec(), now);
        states.save(&state, event_store::SaveMode::Replace).await.map_err(failed)?;
        self.row("DC-051", "save a new state", None, 1.0);
        states.latest_for_version("Measured", "1").await.map_err(failed)?;
        self.row("DC-051", "read a state", None, 1.0);
        Ok(())
    }

    /// DC-X3: a small tenant alone, and beside a large one.
    async fn tenants(&mut self) -> Result<(), CommandError> {
        for _ in 0..SMALL {
            self.append("small", 1, &["Student:s1"]).await?;
        }
        self.catch_up("small").await?;
        self.row("DC-X3", "catch-up of 20 events, each, alone", None, SMALL as f64);
        for _ in 0..LARGE / 50 {
            self.append("large", 50, &["Student:s1"]).await?;
        }
        self.catch_up("small").await?;
        self.row("DC-X3", "the same beside 2,000 of another tenant", None, SMALL as f64);
        self.catch_up("large").await?;
        self.row("DC-X3", "catch-up of those 2,000, each", None, LARGE as f64);
        let (scope, _) = self.scope("large")?;
        scope.events.event_count(None).await.map_err(|error| store_error(ACTION, &error))?;
        self.row("DC-047", "number of 2,000 events", None, 1.0);
        Ok(())
    }

    /// Projects all events of a tenant; the charges are those since then.
    async fn catch_up(&self, tenant: &str) -> Result<(), CommandError> {
        let failed = |error| store_error(ACTION, &error);
        // Behind the safe window, as old events are.
        self.clock.travel(Duration::from_secs(60));
        let (_, service) = self.scope(tenant)?;
        let mut runner =
            self.system.projections().runner(&service, "School").await.map_err(failed)?;
        runner.restart();
        self.calls.take();
        runner.catch_up().await.map_err(failed)
    }
}
