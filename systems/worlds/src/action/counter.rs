//! The counter of a world: places for entities are reserved before they are created (WB-X21).
//!
//! Owns the limit. A process that stops between the reservation and the create leaves the counter too high;
//! `reaction/reconcile` corrects it.

use service::charge::ChargeMeter;

use crate::domain::{EntityCounter, WorldId};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::WorldsCore;

impl WorldsCore {
    /// Reserves places. Returns a warning if the world is nearly full.
    pub(crate) async fn reserve(
        &self,
        world: &WorldId,
        places: u64,
        meter: &mut ChargeMeter,
    ) -> Result<Option<String>> {
        let (limits, now) = (&self.settings.worlds, self.now());
        let (key, id) = (world.partition_key(), EntityCounter::item_id(world));
        let reserved = self.containers.metadata.modify(&key, &id, |counter: &mut EntityCounter| {
            if counter.count + places > limits.max_entities {
                return Err(Error::new(
                    ErrorKind::EntityLimit,
                    format!(
                        "The world has {} of {} entities. Delete some, or split the world.",
                        counter.count, limits.max_entities
                    ),
                ));
            }
            counter.count += places;
            counter.changed_date = now;
            Ok(())
        });
        let count = meter.record(reserved.await?).into_value().count;
        let is_full = count >= limits.warn_at;
        Ok(is_full.then(|| {
            format!(
                "The world has {count} of {} entities. Split it before it is full.",
                limits.max_entities
            )
        }))
    }

    /// Creates the counter of a world that has none.
    pub(crate) async fn create_missing_counter(
        &self,
        world: &WorldId,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        let counter = EntityCounter::new(world, 0, self.now());
        match self.containers.metadata.create(&world.partition_key(), &counter).await {
            Ok(created) => meter.add(created.charge),
            Err(error) if error.kind() == client::ErrorKind::Conflict => meter.record_error(&error),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Gives places back.
    pub(crate) async fn release(
        &self,
        world: &WorldId,
        places: u64,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        if places == 0 {
            return Ok(());
        }
        let now = self.now();
        let (key, id) = (world.partition_key(), EntityCounter::item_id(world));
        let released = self.containers.metadata.modify(&key, &id, |counter: &mut EntityCounter| {
            counter.count = counter.count.saturating_sub(places);
            counter.changed_date = now;
            Ok::<_, Error>(())
        });
        meter.record(released.await?);
        Ok(())
    }
}
