//! Entities whose name contains a text, or that have it as a tag.

use client::Query;
use service::charge::{ChargeMeter, ChargedValue};

use super::page::{EntityPage, read_page};
use crate::access::WorldAccess;
use crate::domain::EntityId;
use crate::error::{Error, Result};
use crate::worlds::Worlds;

const TEXT_CHARS_MAX: usize = 200;

impl Worlds {
    /// A page of the entities of a world whose name contains the text, or that have it as a tag; in a part of the world
    /// if `inside` names its top.
    ///
    /// # Errors
    /// `Invalid` for an empty or long text and for a continuation of another search.
    pub async fn search(
        &self,
        access: &WorldAccess,
        text: &str,
        inside: Option<&EntityId>,
        limit: usize,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EntityPage>> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > TEXT_CHARS_MAX {
            let message = format!("must have 1 to {TEXT_CHARS_MAX} characters");
            return Err(Error::invalid_field("q", message));
        }
        let mut meter = ChargeMeter::default();
        let query = match inside {
            None => Query::text(
                "SELECT * FROM c WHERE c.IsDeleted = false \
                 AND (CONTAINS(c.Name, @text, true) OR ARRAY_CONTAINS(c.Tags, @text))",
            ),
            Some(top) => Query::text(
                "SELECT * FROM c WHERE c.IsDeleted = false \
                 AND ARRAY_CONTAINS(c.AncestorIds, @top) \
                 AND (CONTAINS(c.Name, @text, true) OR ARRAY_CONTAINS(c.Tags, @text))",
            )
            .parameter("@top", top),
        };
        let query = query.parameter("@text", text);
        let query = query.within_prefix(access.world().partition_key());
        let container = &self.core.containers.entities;
        let (entities, continuation) =
            read_page(container, &query, limit, continuation, &mut meter).await?;
        Ok(meter.finish(EntityPage { entities, continuation }))
    }
}
