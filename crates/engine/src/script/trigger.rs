//! Triggers: scripts before and after a write, in its transaction.
//!
//! Owns the order: the script before the write, which may change the item; the write; the script after it, which may
//! change the response. Everything is one commit.

use std::sync::Arc;

use model::charge::script_charge;
use model::{Lsn, PartitionKey};

use super::load::{TriggerTime, no_runtime};
use super::perform::text_of;
use super::procedure::{attempts, changed_too_often, isolation_of};
use super::session::{ScriptSession, SessionEnd};
use super::step::ScriptRequest;
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::item::{
    ItemWrite, ItemWriteResult, TriggeredWrite, check_partition_key, item_key, locate,
    logical_partition, point_response, renamed_from, unexpected_result,
};
use crate::metering::{Amount, OperationKind};
use crate::response::{ItemResource, Response, TriggeredResult};
use crate::script_runtime::{ScriptPurpose, ScriptSource};
use crate::throughput::Admission;

/// The triggers of a write.
struct LoadedTriggers {
    before: Option<ScriptSource>,
    after: Option<ScriptSource>,
    operation: &'static str,
}

impl Engine {
    /// Writes an item with its triggers.
    pub(crate) async fn write_with_triggers(
        &self,
        container: &Arc<ContainerEntry>,
        write: TriggeredWrite,
    ) -> Result<Response<TriggeredResult>> {
        let runtime = self.environment().scripts();
        let runtime = runtime.ok_or_else(|| no_runtime("The trigger"))?;
        let key = match (&write.partition_key, &write.item) {
            (Some(key), _) => key.clone(),
            (None, Some(item)) => container.identity.definition.extract(item.value()),
            (None, None) => return Err(unexpected_result()),
        };
        check_partition_key(&container.identity, &key)?;
        let operation = operation_name(write.kind);
        let names = &write.options.triggers;
        let before =
            self.load_trigger(container, &names.before, TriggerTime::Before, operation).await?;
        let after =
            self.load_trigger(container, &names.after, TriggerTime::After, operation).await?;
        let triggers = LoadedTriggers { before, after, operation };
        let target = logical_partition(&container.identity, &key);
        let partition = locate(container, &container.identity.definition.effective(&key))?;
        let metered = self.metered(write.kind);
        let (throughput, logical) = (&container.throughput, Some(target.partition_ref()));
        let admission = Admission::new(throughput, &partition.throughput, metered, logical)?;
        let mut request = ScriptRequest::new(self, runtime, false);
        let result = self.run_triggered(container, &key, &write, &triggers, &mut request).await;
        admission.finish(result, |_| Amount { items: 1, bytes: 0 })
    }

    async fn run_triggered(
        &self,
        container: &Arc<ContainerEntry>,
        key: &PartitionKey,
        write: &TriggeredWrite,
        triggers: &LoadedTriggers,
        request: &mut ScriptRequest,
    ) -> Result<Response<TriggeredResult>> {
        for attempt in attempts() {
            let isolation = isolation_of(attempt);
            let mut session = ScriptSession::open(self, container, key, isolation).await?;
            let result = session.triggered(write, triggers, request).await;
            let base = script_charge(request.elapsed());
            let (place, body) = match result {
                Ok(result) => result,
                Err(SessionEnd::Changed) => continue,
                Err(SessionEnd::Failed(error)) => return Err(error.with_charge(base)),
            };
            match session.commit().await {
                Ok(mut committed) => {
                    let results = &mut committed.results;
                    let written = (place < results.len()).then(|| results.swap_remove(place));
                    let value = triggered_result(written, body, committed.lsn)?;
                    let charge = committed.charge + base;
                    return Ok(point_response(value, charge, committed.partition, committed.lsn));
                }
                Err(SessionEnd::Changed) => {}
                Err(SessionEnd::Failed(error)) => return Err(error.with_charge(base)),
            }
        }
        Err(changed_too_often())
    }
}

impl ScriptSession {
    /// Runs triggers and write; returns the index of the write in the session, and the body that a trigger has set.
    async fn triggered(
        &mut self,
        write: &TriggeredWrite,
        triggers: &LoadedTriggers,
        request: &mut ScriptRequest,
    ) -> std::result::Result<(usize, Option<String>), SessionEnd> {
        let mut item = write.item.as_ref().map(|item| item.value().to_string());
        let operation = triggers.operation;
        if let Some(before) = &triggers.before {
            let purpose = ScriptPurpose::Before { operation, item: item.clone() };
            let output = self.run(request, before.clone(), purpose).await?;
            // A delete has no item, so that its trigger has none to change.
            if item.is_some() && output.body.is_some() {
                item = output.body;
            }
        }
        let place = self.writes.len();
        let asked = self.item_write(write, item.as_deref())?;
        let response = match self.apply(asked).await? {
            ItemWriteResult::Written { item, .. } => Some(text_of(item.record)?),
            _ => None,
        };
        let Some(after) = &triggers.after else { return Ok((place, None)) };
        let purpose = ScriptPurpose::After { operation, item, response };
        let output = self.run(request, after.clone(), purpose).await?;
        Ok((place, output.body))
    }

    fn item_write(&self, write: &TriggeredWrite, item: Option<&str>) -> Result<ItemWrite> {
        let options = &write.options;
        let (precondition, explain) = (options.precondition.clone(), false);
        let indexed = self.compiled.indexes(options.indexing);
        let Some(item) = item else {
            let id = write.id.as_ref().ok_or_else(unexpected_result)?;
            let key = item_key(&self.container.identity, &self.partition_key, id)?;
            return Ok(ItemWrite::Delete { key, precondition, explain });
        };
        let new = self.new_item(item)?;
        Ok(match write.kind {
            OperationKind::Create => ItemWrite::Create { new, indexed, explain },
            OperationKind::Upsert => ItemWrite::Upsert { new, precondition, indexed, explain },
            _ => {
                let id = write.id.as_ref().ok_or_else(unexpected_result)?;
                let renamed_from = renamed_from(id, &new);
                ItemWrite::Replace { new, renamed_from, precondition, indexed, explain }
            }
        })
    }
}

/// The name of an operation, as triggers know it.
fn operation_name(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Create => "Create",
        OperationKind::Upsert => "Upsert",
        OperationKind::Delete => "Delete",
        _ => "Replace",
    }
}

fn triggered_result(
    written: Option<ItemWriteResult>,
    body: Option<String>,
    lsn: Lsn,
) -> Result<TriggeredResult, Error> {
    match written {
        Some(ItemWriteResult::Written { item, .. }) => {
            let is_new = item.cost.created;
            let item = ItemResource::from_record(item.record, lsn);
            let item = match body {
                Some(body) => item.with_text(body),
                None => item,
            };
            Ok(TriggeredResult::Written { item, is_new })
        }
        Some(ItemWriteResult::Deleted { .. }) => Ok(TriggeredResult::Deleted),
        _ => Err(unexpected_result()),
    }
}
