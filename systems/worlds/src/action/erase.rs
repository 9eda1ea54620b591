//! Erases a user: every world of the user with everything in it, and the user's schemas (WB-103).
//!
//! Owns the list of containers with a user's data. Progress and certificate are the kit's.

use client::Query;
use service::erasure::{Erasure, ErasureCertificate, SubjectContainer};

use crate::domain::WorldUser;
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::Worlds;

const REASON: &str = "an operator erases a user, whose worlds are found by owner";
/// Names the user in certificates by a hash under this key.
const KEY: &[u8] = b"planisphere worlds erasure";

impl Worlds {
    /// Erases everything of a user, and returns the certificate. Repeated, it finds nothing and returns the same one.
    ///
    /// # Errors
    /// `Conflict` if data of the user keeps being written; those of the account: another call continues.
    pub async fn erase_user(&self, user: &WorldUser) -> Result<ErasureCertificate> {
        let core = &self.core;
        // Trees and operations name no user, so they are found by the worlds, which go last.
        for world in self.all_worlds_of(user).await? {
            core.remove_world_metadata(&world).await?;
            core.access.forget(&world);
        }
        let to_error = |error: service::erasure::ErasureError| {
            Error::new(ErrorKind::Conflict, error.to_string())
        };
        self.erasure().erase(user.as_str()).await.map_err(to_error)
    }

    fn erasure(&self) -> Erasure {
        let containers = &self.core.containers;
        let owned = |user: &str| {
            Query::text("SELECT * FROM c WHERE c.OwnerId = @user")
                .parameter("@user", user)
                .fan_out(REASON)
        };
        let done_by = |user: &str| {
            Query::text("SELECT * FROM c WHERE c.CreatedBy = @user")
                .parameter("@user", user)
                .fan_out(REASON)
        };
        Erasure::new(&containers.leases, KEY)
            .with(SubjectContainer::by_query("DeleteOperation", &containers.operations, done_by))
            .with(SubjectContainer::by_query("PropertySchema", &containers.schemas, owned))
            .with(SubjectContainer::by_query("DeletedWorldEntity", &containers.deleted, owned))
            .with(SubjectContainer::by_query("WorldEntity", &containers.entities, owned))
    }
}
