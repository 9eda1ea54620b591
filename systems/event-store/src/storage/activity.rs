//! What the appends of this process did: counters, and the last conflicts, for operators.
//!
//! Owns the bound on both: a ring of conflicts, and a label only for tenants of an allow list, because every label
//! value is a time series for ever. Does not own the routes that show it (`http`).

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Unit;
use serde::Serialize;
use service::timestamp::UtcTimestamp;

use crate::domain::{AppendReceipt, EventTag, PreparedAppend};
use crate::error::{Error, ErrorKind, Result, TagConflict};
use crate::service_id::ServiceId;

const CONFLICTS_MAX: usize = 500;

/// Counters and conflicts of a process. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct StoreActivity {
    inner: Arc<StoreActivityInner>,
}

#[derive(Debug, Default)]
struct StoreActivityInner {
    labelled: BTreeSet<String>,
    appends: Family<ServiceLabel, Counter>,
    events: Family<ServiceLabel, Counter>,
    refused: Family<ServiceLabel, Counter>,
    conflicts: Mutex<VecDeque<AppendConflict>>,
}

/// The tenant, or nothing for one that is not in the allow list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServiceLabel {
    service_id: String,
}

/// An append that was refused because others were faster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppendConflict {
    /// When it was refused.
    #[schema(value_type = String)]
    pub at: UtcTimestamp,
    /// The tenant.
    #[schema(value_type = String)]
    pub service_id: ServiceId,
    /// The types of its events.
    pub event_types: Vec<String>,
    /// The tags of its events.
    #[schema(value_type = Vec<String>)]
    pub tags: Vec<EventTag>,
    /// Why it was refused.
    pub reason: String,
    /// The tags whose versions were not the expected ones.
    pub conflicts: Vec<TagConflict>,
}

impl StoreActivity {
    /// Counters with a label for these tenants.
    #[must_use]
    pub fn with_labels(services: impl IntoIterator<Item = String>) -> Self {
        let labelled = services.into_iter().collect();
        Self { inner: Arc::new(StoreActivityInner { labelled, ..Default::default() }) }
    }

    /// The last conflicts, the newest first.
    #[must_use]
    pub fn conflicts(&self) -> Vec<AppendConflict> {
        let conflicts = self.inner.conflicts.lock().unwrap_or_else(PoisonError::into_inner);
        conflicts.iter().rev().cloned().collect()
    }

    /// The counters as metrics.
    #[must_use]
    pub fn collector(&self) -> impl Collector + use<> {
        ActivityCollector(self.clone())
    }

    pub(crate) fn record(
        &self,
        service: &ServiceId,
        append: &PreparedAppend,
        result: &Result<AppendReceipt>,
        at: UtcTimestamp,
    ) {
        let is_labelled = self.inner.labelled.contains(service.as_str());
        let service_id = if is_labelled { service.to_string() } else { String::new() };
        let label = ServiceLabel { service_id };
        match result {
            Ok(receipt) => {
                self.inner.appends.get_or_create(&label).inc();
                self.inner.events.get_or_create(&label).inc_by(receipt.events.len() as u64);
            }
            Err(error) if is_conflict(error) => {
                self.inner.refused.get_or_create(&label).inc();
                self.keep(AppendConflict::new(service, append, error, at));
            }
            Err(_) => {}
        }
    }

    fn keep(&self, conflict: AppendConflict) {
        let mut conflicts = self.inner.conflicts.lock().unwrap_or_else(PoisonError::into_inner);
        if conflicts.len() == CONFLICTS_MAX {
            conflicts.pop_front();
        }
        conflicts.push_back(conflict);
    }
}

fn is_conflict(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Conflict | ErrorKind::AlreadyExists)
}

impl AppendConflict {
    fn new(service: &ServiceId, append: &PreparedAppend, error: &Error, at: UtcTimestamp) -> Self {
        let types: BTreeSet<_> = append.events.iter().map(|one| &one.draft.event_type).collect();
        Self {
            at,
            service_id: service.clone(),
            event_types: types.into_iter().cloned().collect(),
            tags: append.event_tags().into_iter().collect(),
            reason: error.to_string(),
            conflicts: error.conflicts().to_vec(),
        }
    }
}

#[derive(Debug)]
struct ActivityCollector(StoreActivity);

impl Collector for ActivityCollector {
    fn encode(
        &self,
        mut encoder: DescriptorEncoder<'_>,
    ) -> std::result::Result<(), std::fmt::Error> {
        let inner = &self.0.inner;
        let families = [
            ("event_store_appends", "Appends that happened", &inner.appends),
            ("event_store_appended_events", "Events appended", &inner.events),
            ("event_store_conflicts", "Appends refused by their condition", &inner.refused),
        ];
        for (name, help, family) in families {
            let metric =
                encoder.encode_descriptor(name, help, None::<&Unit>, family.metric_type())?;
            family.encode(metric)?;
        }
        Ok(())
    }
}
