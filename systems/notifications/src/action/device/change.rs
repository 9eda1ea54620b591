//! All devices of a user, changed together or not at all.
//!
//! Owns the one way of writing devices: read the guard and the devices, decide, write all changes and the guard in one
//! transactional batch with the etags that were read. Whoever was slower starts over.

use client::{Batch, ErrorKind, Item, Query};

use crate::charge::ChargeMeter;
use crate::domain::{Device, DeviceCap, DeviceId, Moment, RevokedReason, UserId};
use crate::error::{Error, Result};
use crate::notifications::NotificationsCore;

/// Rounds until a change of devices gives up.
const ROUNDS_MAX: u32 = 50;

/// The devices of a user as they were read: the active ones, and those a change asked for by id.
pub(crate) struct DeviceSet {
    items: Vec<Item<Device>>,
    changed: Vec<usize>,
    created: Option<Device>,
}

impl DeviceSet {
    /// The device of this installation, active or not.
    pub(crate) fn find(&self, device_id: &DeviceId) -> Option<usize> {
        self.items.iter().position(|item| item.value.device_id == *device_id)
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Device> {
        self.items.get(place).map(|item| &item.value)
    }

    /// How many are active, with what was changed so far.
    pub(crate) fn active(&self) -> usize {
        let stored = self.items.iter().filter(|item| item.value.is_active()).count();
        stored + usize::from(self.created.is_some())
    }

    /// The active one that was not seen for longest, but not this.
    pub(crate) fn oldest_active_but(&self, device_id: &DeviceId) -> Option<usize> {
        let active = self
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.value.is_active() && item.value.device_id != *device_id);
        let oldest =
            active.min_by_key(|(_, item)| (item.value.last_seen_at, item.value.id.clone()));
        oldest.map(|(place, _)| place)
    }

    pub(crate) fn change(
        &mut self,
        place: usize,
        change: impl FnOnce(&mut Device),
    ) -> Option<Device> {
        let item = self.items.get_mut(place)?;
        change(&mut item.value);
        if !self.changed.contains(&place) {
            self.changed.push(place);
        }
        Some(item.value.clone())
    }

    pub(crate) fn revoke(
        &mut self,
        place: usize,
        reason: RevokedReason,
        at: Moment,
    ) -> Option<Device> {
        self.change(place, |device| {
            device.revoked_at = Some(at);
            device.revoked_reason = Some(reason);
        })
    }

    pub(crate) fn create(&mut self, device: Device) {
        self.created = Some(device);
    }

    fn is_changed(&self) -> bool {
        !self.changed.is_empty() || self.created.is_some()
    }

    fn batch(&self) -> client::Result<Batch> {
        let mut batch = Batch::new();
        for item in self.changed.iter().filter_map(|place| self.items.get(*place)) {
            batch = batch.save(item)?;
        }
        match &self.created {
            Some(device) => batch.create(device),
            None => Ok(batch),
        }
    }
}

impl NotificationsCore {
    /// Changes devices of a user. `decide` runs once a round and sees the active devices and that of `device_id`.
    pub(crate) async fn change_devices<T>(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        meter: &mut ChargeMeter,
        mut decide: impl FnMut(&mut DeviceSet, Moment) -> Result<T>,
    ) -> Result<T> {
        let key = user.partition_key();
        for round in 1..=ROUNDS_MAX {
            let now = self.now();
            let cap = self.read_cap(user, meter).await?;
            let mut devices = self.read_devices(user, device_id, meter).await?;
            let value = decide(&mut devices, now)?;
            if !devices.is_changed() {
                return Ok(value);
            }
            let batch = with_cap(devices.batch()?, cap, user, devices.active(), now)?;
            match self.containers.devices.batch(&key, batch).await {
                Ok(answer) => {
                    meter.record(answer);
                    return Ok(value);
                }
                Err(error) if is_lost_race(&error) => {
                    if round > 2 {
                        let wait_ms = self.environment.random() % (u64::from(round) * 4);
                        self.environment.sleep(std::time::Duration::from_millis(wait_ms)).await;
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
        Ok(DeviceSet { items, changed: Vec::new(), created: None })
    }
}

/// The batch with the guard: created by the first, replaced with its etag by everybody else.
fn with_cap(
    batch: Batch,
    cap: Option<Item<DeviceCap>>,
    user: &UserId,
    active: usize,
    now: Moment,
) -> client::Result<Batch> {
    match cap {
        Some(mut cap) => {
            cap.value.active = active;
            cap.value.updated_at = now;
            batch.save(&cap)
        }
        None => batch.create(&DeviceCap {
            id: DeviceCap::ID.to_owned(),
            user_id: user.clone(),
            active,
            updated_at: now,
        }),
    }
}

/// Somebody else changed the devices, or our own answer was lost: what is stored now decides.
fn is_lost_race(error: &client::Error) -> bool {
    let raced =
        matches!(error.kind(), ErrorKind::Precondition | ErrorKind::Conflict | ErrorKind::NotFound);
    raced || error.may_have_happened()
}
