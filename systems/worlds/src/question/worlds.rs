//! The worlds of a user.

use client::Query;
use service::charge::{ChargeMeter, ChargedValue};

use super::page::read_page;
use crate::domain::{WorldEntity, WorldId, WorldUser};
use crate::error::Result;
use crate::worlds::Worlds;

const REASON: &str = "a user's worlds are found by owner, over all worlds";

/// A page of worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldPage {
    /// The roots of the worlds, by name.
    pub worlds: Vec<WorldEntity>,
    /// Where the next page begins; `None` on the last one.
    pub continuation: Option<String>,
}

impl Worlds {
    /// A page of the user's worlds that are not deleted, by name.
    ///
    /// # Errors
    /// `Invalid` for a continuation of another list.
    pub async fn worlds_of(
        &self,
        user: &WorldUser,
        limit: usize,
        continuation: Option<String>,
    ) -> Result<ChargedValue<WorldPage>> {
        let mut meter = ChargeMeter::default();
        let query = Query::text(
            "SELECT * FROM c WHERE c.OwnerId = @user AND c.EntityType = 'World' \
             AND c.IsDeleted = false ORDER BY c.Name",
        );
        let query = query.parameter("@user", user).fan_out(REASON);
        let container = &self.core.containers.entities;
        let (worlds, continuation) =
            read_page(container, &query, limit, continuation, &mut meter).await?;
        Ok(meter.finish(WorldPage { worlds, continuation }))
    }

    /// Ids of all worlds of a user, deleted ones included.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn all_worlds_of(&self, user: &WorldUser) -> Result<Vec<WorldId>> {
        let mut worlds = Vec::new();
        for container in [&self.core.containers.entities, &self.core.containers.deleted] {
            let query = Query::text(
                "SELECT VALUE c.WorldId FROM c WHERE c.OwnerId = @user AND c.EntityType = 'World'",
            );
            let query = query.parameter("@user", user).fan_out(REASON);
            worlds.extend(container.query::<WorldId>(&query).await?.value);
        }
        Ok(worlds)
    }

    /// Ids of all worlds of all users that are not in the container of deleted entities, for operators.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn all_worlds(&self) -> Result<Vec<WorldId>> {
        let query = Query::text("SELECT VALUE c.WorldId FROM c WHERE c.EntityType = 'World'");
        let query = query.fan_out("an operator works on every world");
        Ok(self.core.containers.entities.query(&query).await?.value)
    }
}
