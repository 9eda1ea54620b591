//! Which events are visible: those of appends that have happened.
//!
//! Owns asking for the committing event of an append, once per append and call.

use std::collections::HashMap;

use client::ErrorKind as AccountErrorKind;

use crate::domain::DomainEventId;
use crate::error::Result;

use super::containers::TenantContainers;
use super::documents::{AppendMark, CommitSlot};

/// What is known about appends during one call.
pub(super) struct Visibility<'t> {
    tenant: &'t TenantContainers,
    commits: HashMap<DomainEventId, Option<String>>,
}

impl<'t> Visibility<'t> {
    pub(super) fn new(tenant: &'t TenantContainers) -> Self {
        Self { tenant, commits: HashMap::new() }
    }

    /// Whether the append of an event has happened.
    pub(super) async fn check_visible(&mut self, mark: &AppendMark) -> Result<bool> {
        let (Some(batch), false) = (&mark.batch_id, mark.commit == Some(true)) else {
            return Ok(true);
        };
        let Some(commit) = mark.commit_event_id else { return Ok(false) };
        if !self.commits.contains_key(&commit) {
            let committed = read_slot(self.tenant, commit).await?;
            let committed = committed.filter(|(slot, _)| slot.is_event());
            self.commits.insert(commit, committed.and_then(|(slot, _)| slot.batch_id));
        }
        // By the batch and not only by the event: a repeated append has the same ids and another batch.
        Ok(self.commits.get(&commit).and_then(Option::as_ref) == Some(batch))
    }
}

/// What is at the id of a committing event, with its etag.
pub(super) async fn read_slot(
    tenant: &TenantContainers,
    id: DomainEventId,
) -> Result<Option<(CommitSlot, Option<client::EntityTag>)>> {
    match tenant.events.read::<CommitSlot>(&tenant.event_key(id), &id.to_string()).await {
        Ok(found) => {
            let etag = found.value.etag();
            Ok(Some((found.value.into_value(), etag)))
        }
        Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
