//! A load of many tenants of very different sizes, and a checker of their isolation that runs for the whole time.
//!
//! Owns who writes what, and what a reader of a tenant must see. Each event names its tenant in its payload; a reader
//! that finds another name has found a leak. Does not own measuring charges (the command that runs it).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::domain::{AppendRequest, DomainEvent, EventDraft, EventTag};
use crate::error::{Error, ErrorKind, Result};
use crate::service_id::ServiceId;
use crate::storage::StorageBundle;
use crate::store::EventStore;

const VIOLATIONS_MAX: usize = 20;
/// Every tenant uses the same tags.
const TAGS: u64 = 10;
const CHECKED_EVENTS: usize = 200;

/// How large the load is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenancyLoadOptions {
    /// Tenants; the first one gets the most events, the last one the fewest.
    pub tenants: usize,
    /// Writers.
    pub writers: usize,
    /// How long it lasts.
    pub duration: Duration,
}

/// What a load did and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TenancyLoadReport {
    /// Events appended, by tenant, the largest first.
    pub events: Vec<(ServiceId, u64)>,
    /// Conditional appends that were refused because others were faster.
    pub conflicts: u64,
    /// Reads that were checked.
    pub checks: u64,
    /// What a reader saw of another tenant, or missed of its own.
    pub violations: Vec<String>,
}

/// A load of many tenants.
#[derive(Clone, Debug)]
pub struct TenancyLoad {
    storage: StorageBundle,
    options: TenancyLoadOptions,
    services: Arc<Vec<ServiceId>>,
    state: Arc<TenantLoadState>,
}

#[derive(Debug, Default)]
struct TenantLoadState {
    written: Mutex<BTreeMap<ServiceId, u64>>,
    conflicts: AtomicU64,
    checks: AtomicU64,
    violations: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl TenancyLoad {
    /// A load on a storage. Its tenants are named `load-1` and so on.
    ///
    /// # Errors
    /// `Invalid` without a tenant or a writer.
    pub fn new(storage: StorageBundle, options: TenancyLoadOptions) -> Result<Self> {
        if options.tenants == 0 || options.writers == 0 {
            return Err(Error::invalid("a load has at least one tenant and one writer"));
        }
        let services =
            (1..=options.tenants).map(|number| ServiceId::parse(&format!("load-{number}")));
        let services = Arc::new(services.collect::<std::result::Result<_, _>>()?);
        Ok(Self { storage, options, services, state: Arc::default() })
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn run(&self) -> Result<TenancyLoadReport> {
        let before = self.counts().await?;
        let writers = (0..self.options.writers).map(|_| self.clone().write());
        let timer = async {
            self.storage.environment.sleep(self.options.duration).await;
            self.state.is_over.store(true, Ordering::SeqCst);
            Ok(())
        };
        let work = futures::future::try_join_all(writers);
        let (written, checked, ended) = tokio::join!(work, self.check_until_over(), timer);
        let failed = written.and(checked).and(ended);
        self.state.is_over.store(true, Ordering::SeqCst);
        failed?;
        self.check_totals(&before).await?;
        Ok(self.report())
    }

    fn store(&self, service: &ServiceId) -> Result<EventStore> {
        self.storage.factories().events.create_for_service(service.as_str())
    }

    /// A tenant by chance: the number `n` gets a share of one by `n`.
    fn choose(&self) -> &ServiceId {
        let weights: Vec<f64> = (1..=self.services.len()).map(|rank| 1.0 / rank as f64).collect();
        let total: f64 = weights.iter().sum();
        let mut at = (self.storage.environment.random() % 1_000_000) as f64 / 1_000_000.0 * total;
        for (service, weight) in self.services.iter().zip(&weights) {
            if at < *weight {
                return service;
            }
            at -= weight;
        }
        self.services.last().expect("a load has at least one tenant")
    }

    async fn write(self) -> Result<()> {
        while !self.state.is_over.load(Ordering::SeqCst) {
            let service = self.choose().clone();
            let store = self.store(&service)?;
            let number = self.storage.environment.random() % TAGS;
            let tag = EventTag::parse(&format!("Load:{number}"))?;
            let payload = json!({ "tenant": service.as_str(), "number": number });
            let draft = EventDraft::new("Loaded", payload, vec![tag.clone()]);
            let mut request = AppendRequest::new(vec![draft]);
            // Every other append depends on what its writer has read.
            if number.is_multiple_of(2) {
                let version = store.latest_tag(&tag).await?.map(|row| row.sortable_unique_id);
                request = request.expecting([(tag, version)]);
            }
            match store.append(request).await {
                Ok(_) => {
                    let mut written = lock(&self.state.written);
                    *written.entry(service).or_default() += 1;
                }
                Err(error) if error.kind() == ErrorKind::Conflict => {
                    self.state.conflicts.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Reads as each tenant in turn, in every way there is.
    async fn check_until_over(&self) -> Result<()> {
        let mut positions: BTreeMap<ServiceId, _> = BTreeMap::new();
        let mut feeds = BTreeMap::new();
        for service in self.services.iter() {
            feeds.insert(service.clone(), self.store(service)?.feed_from_end().await?);
        }
        while !self.state.is_over.load(Ordering::SeqCst) {
            for service in self.services.iter() {
                let store = self.store(service)?;
                let since = positions.get(service).cloned();
                let events = store.read_all(since, Some(CHECKED_EVENTS)).await?;
                if let Some(last) = events.last() {
                    positions.insert(service.clone(), last.sortable_unique_id.clone());
                }
                self.check(service, "all events", &events);
                let number = self.storage.environment.random() % TAGS;
                let tag = EventTag::parse(&format!("Load:{number}"))?;
                let events = store.read_by_tag(&tag, positions.get(service).cloned()).await?;
                self.check(service, "a tag", &events);
                if let Some(row) = store.latest_tag(&tag).await? {
                    let event = store.read_event(row.event_id).await?;
                    self.check(service, "an event", &event.into_iter().collect::<Vec<_>>());
                }
                if let Some(feed) = feeds.get_mut(service) {
                    let events = feed.next_page().await?;
                    self.check(service, "the feed", &events);
                }
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    fn check(&self, service: &ServiceId, what: &str, events: &[DomainEvent]) {
        self.state.checks.fetch_add(1, Ordering::Relaxed);
        for event in events {
            let named = event.payload.get("tenant").and_then(Value::as_str);
            if named != Some(service.as_str()) {
                self.violation(format!("{service} read {} of {named:?} in {what}", event.id));
            }
        }
    }

    fn violation(&self, text: String) {
        let mut violations = lock(&self.state.violations);
        if violations.len() < VIOLATIONS_MAX {
            violations.push(text);
        }
    }

    async fn counts(&self) -> Result<BTreeMap<ServiceId, u64>> {
        let mut counts = BTreeMap::new();
        for service in self.services.iter() {
            counts.insert(service.clone(), self.store(service)?.event_count(None).await?);
        }
        Ok(counts)
    }

    /// Every tenant has what was appended for it, and no more.
    async fn check_totals(&self, before: &BTreeMap<ServiceId, u64>) -> Result<()> {
        for (service, count) in self.counts().await? {
            let old = before.get(&service).copied().unwrap_or_default();
            let new = lock(&self.state.written).get(&service).copied().unwrap_or_default();
            if count != old + new {
                self.violation(format!("{service} has {count} events instead of {}", old + new));
            }
        }
        let foreign = self.storage.admin.foreign_items();
        if foreign > 0 {
            self.violation(format!("{foreign} items of other tenants were read and hidden"));
        }
        Ok(())
    }

    fn report(&self) -> TenancyLoadReport {
        let written = lock(&self.state.written);
        let count = |service: &ServiceId| written.get(service).copied().unwrap_or_default();
        TenancyLoadReport {
            events: self.services.iter().map(|one| (one.clone(), count(one))).collect(),
            conflicts: self.state.conflicts.load(Ordering::Relaxed),
            checks: self.state.checks.load(Ordering::Relaxed),
            violations: lock(&self.state.violations).clone(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
