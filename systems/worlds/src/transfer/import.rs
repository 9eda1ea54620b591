//! Creates a world from a plan.

use std::collections::{BTreeMap, BTreeSet};

use service::charge::ChargeMeter;

use super::mistake::{ImportMistake, ImportMistakeKind as Kind};
use super::plan::{ImportPlan, PlannedEntity};
use crate::access::WorldAccess;
use crate::action::{WrittenEntity, new_entity, new_world};
use crate::domain::{
    EntityDraft, EntityId, RuleSeverity, UtcTimestamp, WORLD_TYPE, WorldEntity, WorldUser,
    field_mistakes,
};
use crate::error::{Error, ErrorKind, Result};
use crate::settings::HierarchyMode;
use crate::worlds::Worlds;

/// A world that was imported.
#[derive(Clone, Debug)]
pub struct ImportedWorld {
    /// The world.
    pub world: WrittenEntity,
    /// How many entities it has.
    pub entities: usize,
    /// Request units of the import.
    pub charge: f64,
}

impl Worlds {
    /// Every mistake of a plan: fields, types, parents, schemas and the number of entities.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn check_import(
        &self,
        user: &WorldUser,
        plan: &ImportPlan,
    ) -> Result<Vec<ImportMistake>> {
        let core = &self.core;
        let mut mistakes = Vec::new();
        let most = usize::try_from(core.settings.worlds.max_entities).unwrap_or(usize::MAX);
        if plan.entities.len() > most {
            let message = format!("it has {} entities; {most} are allowed", plan.entities.len());
            mistakes.push(ImportMistake::new(Kind::TooManyEntities, "", message));
        }
        let types: BTreeMap<&str, &str> = plan
            .entities
            .iter()
            .map(|one| (one.local_id.as_str(), one.draft.entity_type.as_str()))
            .collect();
        let mut schemas = BTreeMap::new();
        let used = plan.entities.iter().filter_map(|one| one.draft.schema_id.as_ref());
        for id in used.collect::<BTreeSet<_>>() {
            let found = core.find_schema(user, id, &mut ChargeMeter::default()).await?;
            schemas.insert(id, found);
        }
        let access = WorldAccess::of_new_world(user, &core.environment);
        let parent = import_parent(&access);
        for one in &plan.entities {
            let file = format!("{}{}.json", super::archive::ENTITIES, one.local_id);
            let mut wrong = |kind, message: String| {
                mistakes.push(ImportMistake::new(kind, file.as_str(), message));
            };
            let draft = &one.draft;
            if !core.types.is_creatable(&draft.entity_type) {
                wrong(Kind::UnknownType, format!("'{}' is no type", draft.entity_type));
            }
            let above = one.parent_local_id.as_deref().and_then(|id| types.get(id).copied());
            let violation =
                core.types.parent_violation(&draft.entity_type, above.unwrap_or(WORLD_TYPE));
            if let Some(violation) = violation
                && core.settings.hierarchy.mode == HierarchyMode::Error
                && violation.severity == RuleSeverity::Error
            {
                wrong(Kind::InvalidParent, violation.message);
            }
            let id = EntityId::random(&core.environment);
            let mut entity = new_entity(&access, id, draft.clone(), &parent, core.now());
            let mut fields = field_mistakes(&entity);
            if let Some(id) = &draft.schema_id {
                match schemas.get(id).and_then(Option::as_ref) {
                    Some(schema) => fields.extend(
                        schema.apply(&mut entity.properties, &mut entity.system_properties),
                    ),
                    None => wrong(Kind::UnknownSchema, format!("'{id}' is no property schema")),
                }
            }
            for field in fields {
                wrong(Kind::InvalidField, format!("{} {}", field.field, field.message));
            }
        }
        Ok(mistakes)
    }

    /// Creates a world from a plan without mistakes.
    ///
    /// # Errors
    /// `Invalid` if the world itself is not valid; those of the account, after which the world is in the trash.
    pub async fn import(&self, user: &WorldUser, plan: ImportPlan) -> Result<ImportedWorld> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let entities = plan.entities.len();
        let written = self.create_world(user, plan.world).await?;
        meter.add(written.charge);
        let world = written.value;
        let access = self.access(user, &world.entity.world_id, &mut meter).await?;
        let places = u64::try_from(entities).unwrap_or(u64::MAX);
        let created = async {
            core.reserve(access.world(), places, &mut meter).await?;
            let mut parents = BTreeMap::new();
            for one in plan.entities {
                let id = one.local_id.clone();
                let parent = one.parent_local_id.as_ref().and_then(|id| parents.get(id));
                let parent = parent.unwrap_or(&world.entity);
                let entity = self.import_entity(&access, one, parent, &mut meter).await?;
                parents.insert(id, entity);
            }
            Result::Ok(())
        };
        if let Err(error) = created.await {
            // Nobody wants half a world.
            self.delete_world(&access, None).await?;
            return Err(error);
        }
        Ok(ImportedWorld { world, entities, charge: meter.total() })
    }

    async fn import_entity(
        &self,
        access: &WorldAccess,
        planned: PlannedEntity,
        parent: &WorldEntity,
        meter: &mut ChargeMeter,
    ) -> Result<WorldEntity> {
        let core = &self.core;
        let id = EntityId::random(&core.environment);
        let mut entity = new_entity(access, id, planned.draft, parent, core.now());
        core.check_fields(&mut entity, Vec::new(), meter).await?;
        let created = core.containers.entities.create(&entity.partition_key(), &entity).await;
        let created = created.map_err(|error| match error.kind() {
            client::ErrorKind::Conflict => {
                Error::new(ErrorKind::Internal, "two random ids are equal")
            }
            _ => error.into(),
        })?;
        Ok(meter.record(created).into_value())
    }
}

/// A parent for entities that are only checked.
fn import_parent(access: &WorldAccess) -> WorldEntity {
    let now = UtcTimestamp::default();
    let world = new_world(access.world(), access.user(), "", now);
    new_entity(access, access.world().root(), EntityDraft::default(), &world, now)
}
