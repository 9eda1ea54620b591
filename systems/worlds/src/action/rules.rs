//! The rules of an entity before it is written: fields, type, properties, parent.
//!
//! Owns the order of the checks: everything that is wrong with the fields is found at once, then the parent.

use client::ErrorKind as DataError;
use service::charge::ChargeMeter;

use crate::access::WorldAccess;
use crate::domain::{DEPTH_MAX, field_mistakes};
use crate::domain::{EntityId, RuleSeverity, WorldEntity, WorldId, WorldUser};
use crate::error::{Error, ErrorKind, FieldMistake, Result, require_no_mistakes};
use crate::settings::HierarchyMode;
use crate::worlds::WorldsCore;

impl WorldsCore {
    /// Reads an entity of a world, whether or not it is deleted; none if it does not exist.
    pub(crate) async fn find(
        &self,
        world: &WorldId,
        id: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<Option<client::Item<WorldEntity>>> {
        let key = world.entity_key(id);
        match self.containers.entities.read::<WorldEntity>(&key, id.as_str()).await {
            Ok(read) => Ok(Some(meter.record(read))),
            Err(error) if error.kind() == DataError::NotFound => {
                meter.record_error(&error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads an entity that is not deleted.
    pub(crate) async fn read_active(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<client::Item<WorldEntity>> {
        let found = self.find(access.world(), id, meter).await?;
        found.filter(|item| !item.value.is_deleted).ok_or_else(|| Error::not_found("entity"))
    }

    /// Reads an entity as a parent: it must exist in the world and not be deleted.
    pub(crate) async fn read_parent(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<WorldEntity> {
        let wrong =
            |why: &str| Error::new(ErrorKind::InvalidParent, format!("The parent '{id}' {why}."));
        let found = self.find(access.world(), id, meter).await?;
        let parent = found.ok_or_else(|| wrong("does not exist in this world"))?.into_value();
        if parent.is_deleted { Err(wrong("is deleted")) } else { Ok(parent) }
    }

    /// Checks the fields, the type and the properties, and fills in the defaults of the schema.
    pub(crate) async fn check_fields(
        &self,
        entity: &mut WorldEntity,
        mut mistakes: Vec<FieldMistake>,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        mistakes.extend(field_mistakes(entity));
        if !entity.is_world() && !self.types.is_creatable(&entity.entity_type) {
            let message = format!("'{}' is no type of entity", entity.entity_type);
            mistakes.push(FieldMistake::new("entityType", message));
        }
        if let Some(id) = entity.schema_id.clone() {
            let owner: &WorldUser = &entity.owner_id;
            match self.find_schema(owner, &id, meter).await? {
                Some(schema) => mistakes
                    .extend(schema.apply(&mut entity.properties, &mut entity.system_properties)),
                None => mistakes
                    .push(FieldMistake::new("schemaId", format!("'{id}' is no property schema"))),
            }
        }
        require_no_mistakes("the entity", mistakes)
    }

    /// Checks whether an entity may be nested in a parent. Returns a warning for a rule that only warns.
    pub(crate) fn check_parent(
        &self,
        child_type: &str,
        parent: &WorldEntity,
    ) -> Result<Option<String>> {
        if parent.depth >= DEPTH_MAX {
            let message = format!("Entities can be nested {DEPTH_MAX} levels deep.");
            return Err(Error::new(ErrorKind::InvalidParent, message));
        }
        let Some(violation) = self.types.parent_violation(child_type, &parent.entity_type) else {
            return Ok(None);
        };
        let is_advisory = self.settings.hierarchy.mode == HierarchyMode::Advisory;
        if is_advisory || violation.severity == RuleSeverity::Warn {
            return Ok(Some(violation.message));
        }
        Err(Error::new(ErrorKind::InvalidParent, violation.message))
    }
}
