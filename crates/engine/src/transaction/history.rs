//! What a transaction keeps of versions that are no longer the newest.
//!
//! Owns the writes to the space `versions` and the removal of superseded log entries. Does not own which versions are
//! trimmed: see `maintenance`.

use model::TimestampSeconds;

use super::item_transaction::ItemTransaction;
use crate::key_layout::{CHANGE_LOG, ChangePosition, ItemKey, VERSIONS};
use crate::record::{ItemRecord, Removal, Version, earlier_position};

impl ItemTransaction<'_> {
    /// Removes a version that is past the retention, and records that it is gone.
    pub(crate) fn trim_version(
        &mut self,
        position: ChangePosition,
        version: &Version,
        ended: TimestampSeconds,
    ) {
        // The mark moves in the same commit as the removal. Later, a reader could miss the version without an error.
        self.state.trimmed.trim(position.lsn, || version.key().epk());
        if let Version::Superseded { record, .. } = version {
            self.state.trimmed.forget(record, ended);
        }
        self.set.remove(VERSIONS, position.key());
    }

    /// Moves the log entry of a version that is no longer the newest into the space `versions`.
    pub(super) fn supersede(
        &mut self,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
        ended: TimestampSeconds,
    ) {
        let Some(record) = previous else { return };
        let position = record.header.position;
        // A version of this very transaction is in `log` and has no lsn yet. It goes straight to the versions, and the
        // commit stamps its lsn there.
        let is_ours = self.log.remove(&position).is_some();
        if !is_ours {
            self.set.remove(CHANGE_LOG, position.key());
        }
        if self.context.compiled.retention_seconds == 0 {
            // Nothing is kept, but readers of all versions and of the past must learn that something is missing.
            self.state.trimmed.forget(record, ended);
            self.loses_versions = true;
            return;
        }
        let version =
            Version::Superseded { key: key.clone(), record: record.clone() }.encode(ended);
        let key_stamp = is_ours.then_some(ChangePosition::LSN_AT);
        let value_stamp = is_ours.then(|| Version::lsn_at(key));
        self.set.put_stamped(VERSIONS, position.key(), version, key_stamp, value_stamp);
    }

    pub(super) fn log_removal(
        &mut self,
        key: &ItemKey,
        record: &ItemRecord,
        removal: Removal,
        timestamp: TimestampSeconds,
    ) {
        // Taken even if nothing is kept, so that sequences do not depend on the retention.
        let position = self.next_position(record.header.position.ordinal);
        if self.context.compiled.retention_seconds == 0 {
            self.loses_versions = true;
            return;
        }
        // The feed of all versions finds the deleted state through this position.
        let previous = earlier_position(record.header.position);
        let version = Version::Removed { key: key.clone(), removal, previous }.encode(timestamp);
        let stamp = Some(ChangePosition::LSN_AT);
        self.set.put_stamped(VERSIONS, position.key(), version, stamp, None);
    }
}
