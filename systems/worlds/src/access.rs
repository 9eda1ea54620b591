//! Who may use a world.
//!
//! Owns the one check: every call on a world takes a [`WorldAccess`], which only this file can make, and only for the
//! owner. Does not own who the caller is (`http`).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use client::ErrorKind as DataError;
use service::charge::ChargeMeter;

use crate::domain::{UtcTimestamp, WorldEntity, WorldId, WorldOperation, WorldUser};
use crate::error::{Error, Result};
use crate::worlds::Worlds;

/// How long this process remembers the owner of a world. Another process may have deleted the world meanwhile.
const REMEMBERED: Duration = Duration::from_secs(5);
/// Worlds remembered at most.
const WORLDS_MAX: usize = 10_000;

/// The right of one user to use one world.
#[derive(Clone, Debug)]
pub struct WorldAccess {
    world: WorldId,
    user: WorldUser,
    is_deleted: bool,
}

/// Owners of worlds that were read a moment ago, so that a call costs no second point read.
#[derive(Debug, Default)]
pub(crate) struct AccessCache(Mutex<HashMap<WorldId, KnownWorld>>);

#[derive(Clone, Debug)]
struct KnownWorld {
    owner: WorldUser,
    is_deleted: bool,
    read_at: UtcTimestamp,
}

impl WorldAccess {
    /// The world.
    #[must_use]
    pub fn world(&self) -> &WorldId {
        &self.world
    }

    /// The right to a world that does not exist, for checks of what is to be created.
    pub(crate) fn of_new_world(user: &WorldUser, environment: &client::Environment) -> Self {
        Self { world: WorldId::random(environment), user: user.clone(), is_deleted: false }
    }

    /// The right of an operation to finish what its user was allowed to begin.
    pub(crate) fn of_operation(operation: &WorldOperation) -> Self {
        let (world, user) = (operation.world_id.clone(), operation.created_by.clone());
        Self { world, user, is_deleted: false }
    }

    /// The user.
    #[must_use]
    pub fn user(&self) -> &WorldUser {
        &self.user
    }
}

impl Worlds {
    /// The right to use a world that is not deleted.
    ///
    /// # Errors
    /// `NotFound` for a world that does not exist, is deleted or is not the user's: a stranger learns nothing.
    pub async fn access(
        &self,
        user: &WorldUser,
        world: &WorldId,
        meter: &mut ChargeMeter,
    ) -> Result<WorldAccess> {
        let access = self.access_trash(user, world, meter).await?;
        if access.is_deleted {
            return Err(Error::not_found("world"));
        }
        Ok(access)
    }

    /// The right to see the trash of a world and to restore it: also of a world that is deleted.
    ///
    /// # Errors
    /// `NotFound` as for [`Worlds::access`].
    pub async fn access_trash(
        &self,
        user: &WorldUser,
        world: &WorldId,
        meter: &mut ChargeMeter,
    ) -> Result<WorldAccess> {
        let known = self.known_world(world, meter).await?;
        match known {
            Some(known) if known.owner == *user => {
                let (world, user) = (world.clone(), user.clone());
                Ok(WorldAccess { world, user, is_deleted: known.is_deleted })
            }
            _ => Err(Error::not_found("world")),
        }
    }

    async fn known_world(
        &self,
        world: &WorldId,
        meter: &mut ChargeMeter,
    ) -> Result<Option<KnownWorld>> {
        let (core, now) = (&self.core, self.core.now());
        let known = core.access.lock().get(world).cloned();
        if let Some(known) = known.filter(|known| now.since(known.read_at) < REMEMBERED) {
            return Ok(Some(known));
        }
        let root = world.root();
        for container in [&core.containers.entities, &core.containers.deleted] {
            match container.read::<WorldEntity>(&world.entity_key(&root), root.as_str()).await {
                Ok(read) => {
                    let entity = meter.record(read).into_value();
                    return Ok(Some(core.access.remember(&entity, now)));
                }
                Err(error) if error.kind() == DataError::NotFound => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }
}

impl AccessCache {
    fn lock(&self) -> MutexGuard<'_, HashMap<WorldId, KnownWorld>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, world: &WorldEntity, read_at: UtcTimestamp) -> KnownWorld {
        let owner = world.owner_id.clone();
        let known = KnownWorld { owner, is_deleted: world.is_deleted, read_at };
        let mut worlds = self.lock();
        if worlds.len() >= WORLDS_MAX {
            worlds.clear();
        }
        worlds.insert(world.world_id.clone(), known.clone());
        known
    }

    /// Forgets a world that this process has changed.
    pub(crate) fn forget(&self, world: &WorldId) {
        self.lock().remove(world);
    }
}
