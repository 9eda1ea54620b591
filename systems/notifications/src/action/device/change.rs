//! Changing the devices of a user, all together or not at all.
//!
//! Owns the only way devices are written: read the guard item and the devices, decide, write all changes and the guard
//! in one transactional batch with the etags that were read. If somebody else wrote meanwhile, start over. The device
//! cap holds because every change writes the guard, so two changes cannot both succeed on the same state.

use std::time::Duration;

use client::{ErrorKind, Item, ItemBatch, Query};

use crate::domain::{Device, DeviceCap, DeviceId, RevokedReason, UserId, UtcTimestamp};
use crate::error::{Error, Result};
use crate::notifications::NotificationsCore;
use service::charge::ChargeMeter;

/// How often a change is tried against others before it gives up.
const TRIES_MAX: u32 = 50;

/// Codes that are sent for one user within a time.
const CODES_MAX: usize = 5;
const CODES_WINDOW: Duration = Duration::from_secs(3600);

/// The devices of a user as they were read: the active ones and the one that a change is about, with the changes made.
pub(crate) struct DeviceSet {
    items: Vec<Item<Device>>,
    changed: Vec<usize>,
    created: Option<Device>,
    /// When codes were sent for this user, within the last hour.
    codes_sent: Vec<UtcTimestamp>,
}

impl DeviceSet {
    /// The index of the device with this id, active or not.
    pub(crate) fn find(&self, device_id: &DeviceId) -> Option<usize> {
        self.items.iter().position(|item| item.value.device_id == *device_id)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Device> {
        self.items.get(index).map(|item| &item.value)
    }

    /// How many are active, with the changes made so far.
    pub(crate) fn active(&self) -> usize {
        let stored = self.items.iter().filter(|item| item.value.is_active()).count();
        stored + usize::from(self.created.is_some())
    }

    /// The index of the active device that was not seen for the longest time, except this one.
    pub(crate) fn oldest_active_except(&self, device_id: &DeviceId) -> Option<usize> {
        let active = self
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.value.is_active() && item.value.device_id != *device_id);
        let oldest =
            active.min_by_key(|(_, item)| (item.value.last_seen_at, item.value.id.clone()));
        oldest.map(|(index, _)| index)
    }

    pub(crate) fn change(
        &mut self,
        index: usize,
        change: impl FnOnce(&mut Device),
    ) -> Option<Device> {
        let item = self.items.get_mut(index)?;
        change(&mut item.value);
        if !self.changed.contains(&index) {
            self.changed.push(index);
        }
        Some(item.value.clone())
    }

    pub(crate) fn revoke(
        &mut self,
        index: usize,
        reason: RevokedReason,
        at: UtcTimestamp,
    ) -> Option<Device> {
        self.change(index, |device| {
            device.revoked_at = Some(at);
            device.revoked_reason = Some(reason);
        })
    }

    /// Counts a code that will be sent to an address.
    ///
    /// # Errors
    /// `Conflict` if the user had too many: others must not be flooded with mails through this service.
    pub(crate) fn count_code(&mut self, now: UtcTimestamp) -> Result<()> {
        self.codes_sent.retain(|sent| sent.after(CODES_WINDOW) > now);
        if self.codes_sent.len() >= CODES_MAX {
            return Err(Error::conflict(format!(
                "{CODES_MAX} addresses were registered within an hour; wait until the hour is over"
            )));
        }
        self.codes_sent.push(now);
        Ok(())
    }

    pub(crate) fn create(&mut self, device: Device) {
        self.created = Some(device);
    }

    fn is_changed(&self) -> bool {
        !self.changed.is_empty() || self.created.is_some()
    }

    fn batch(&self) -> client::Result<ItemBatch> {
        let mut batch = ItemBatch::new();
        for item in self.changed.iter().filter_map(|index| self.items.get(*index)) {
            batch = batch.save(item)?;
        }
        match &self.created {
            Some(device) => batch.create(device),
            None => Ok(batch),
        }
    }
}

impl NotificationsCore {
    /// Changes devices of a user. `decide` gets the active devices and the one with `device_id`; it runs again for each
    /// try, so it must have no other effect.
    pub(crate) async fn change_devices<T>(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        meter: &mut ChargeMeter,
        mut decide: impl FnMut(&mut DeviceSet, UtcTimestamp) -> Result<T>,
    ) -> Result<T> {
        let key = user.partition_key();
        for attempt in 1..=TRIES_MAX {
            let now = self.now();
            // The guard before the devices: a change between both reads changes the guard's etag, and the batch fails.
            let cap = self.read_cap(user, meter).await?;
            let mut devices = self.read_devices(user, device_id, meter).await?;
            if let Some(cap) = &cap {
                devices.codes_sent.clone_from(&cap.value.codes_sent);
            }
            let value = decide(&mut devices, now)?;
            if !devices.is_changed() {
                return Ok(value);
            }
            let batch = with_cap(devices.batch()?, cap, user, &devices, now)?;
            match self.containers.devices.batch(&key, batch).await {
                Ok(answer) => {
                    meter.record(answer);
                    return Ok(value);
                }
                Err(error) if is_lost_race(&error) => {
                    // The first repetitions come at once; with more contention a random pause spreads them.
                    if attempt > 2 {
                        let wait_ms = self.environment.random() % (u64::from(attempt) * 4);
                        self.environment.sleep(Duration::from_millis(wait_ms)).await;
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::conflict("the devices of this user are changed by too many at once; try again"))
    }

    async fn read_cap(
        &self,
        user: &UserId,
        meter: &mut ChargeMeter,
    ) -> Result<Option<Item<DeviceCap>>> {
        match self.containers.devices.read(&user.partition_key(), DeviceCap::ID).await {
            Ok(answer) => Ok(Some(meter.record(answer))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                meter.record_error(&error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn read_devices(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        meter: &mut ChargeMeter,
    ) -> Result<DeviceSet> {
        let query = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND \
             (c.deviceId = @device OR NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt))",
        );
        let query = query.parameter("@device", device_id.as_str()).within(user.partition_key());
        let items = meter.record(self.containers.devices.query::<Item<Device>>(&query).await?);
        Ok(DeviceSet { items, changed: Vec::new(), created: None, codes_sent: Vec::new() })
    }
}

/// Adds the guard item to the batch: created by the first change of a user, replaced with its etag by all others.
fn with_cap(
    batch: ItemBatch,
    cap: Option<Item<DeviceCap>>,
    user: &UserId,
    devices: &DeviceSet,
    now: UtcTimestamp,
) -> client::Result<ItemBatch> {
    let (active, codes_sent) = (devices.active(), devices.codes_sent.clone());
    match cap {
        Some(mut cap) => {
            cap.value.active = active;
            cap.value.codes_sent = codes_sent;
            cap.value.updated_at = now;
            batch.save(&cap)
        }
        None => batch.create(&DeviceCap {
            id: DeviceCap::ID.to_owned(),
            user_id: user.clone(),
            active,
            updated_at: now,
            codes_sent,
        }),
    }
}

/// Whether to read again and decide anew: somebody else changed the devices, or our own response was lost and the batch
/// may have been written.
fn is_lost_race(error: &client::Error) -> bool {
    let raced =
        matches!(error.kind(), ErrorKind::Precondition | ErrorKind::Conflict | ErrorKind::NotFound);
    raced || error.may_have_happened()
}
