//! Property schemas: those of users in their container, and those that the program brings.

use client::ErrorKind as DataError;
use service::charge::{ChargeMeter, ChargedValue};

use crate::domain::{EntityId, PropertySchema, WorldUser, shipped_schemas};
use crate::error::{Error, ErrorKind, FieldMistake, Result, require_no_mistakes};
use crate::worlds::{Worlds, WorldsCore};

impl Worlds {
    /// A schema of the program or of the user.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn schema(&self, user: &WorldUser, id: &str) -> Result<ChargedValue<PropertySchema>> {
        let mut meter = ChargeMeter::default();
        let found = self.core.find_schema(user, id, &mut meter).await?;
        found.map(|schema| meter.finish(schema)).ok_or_else(|| Error::not_found("schema"))
    }

    /// Creates a schema of the user.
    ///
    /// # Errors
    /// `Invalid` with every mistake, `Conflict` if the id is taken.
    pub async fn create_schema(
        &self,
        user: &WorldUser,
        schema: PropertySchema,
    ) -> Result<ChargedValue<PropertySchema>> {
        let core = &self.core;
        let now = core.now();
        let schema = PropertySchema { created_date: now, ..core.own(user, schema)? };
        if shipped_schemas().iter().any(|one| one.id == schema.id) {
            return Err(taken(&schema.id));
        }
        let key = schema.id.as_str().into();
        match core.containers.schemas.create(&key, &schema).await {
            Ok(created) => Ok(ChargedValue::new(schema, created.charge)),
            Err(error) if error.kind() == DataError::Conflict => Err(taken(&schema.id)),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces a schema of the user. Entities are validated by it when they are changed the next time.
    ///
    /// # Errors
    /// `Invalid` with every mistake, `NotFound`, `Conflict` for a schema of the program.
    pub async fn replace_schema(
        &self,
        user: &WorldUser,
        schema: PropertySchema,
    ) -> Result<ChargedValue<PropertySchema>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let former = core.own_schema(user, &schema.id, &mut meter).await?;
        let created_date = former.created_date;
        let schema = PropertySchema { created_date, ..core.own(user, schema)? };
        let key = schema.id.as_str().into();
        meter.record(core.containers.schemas.replace(&key, &schema, None).await?);
        Ok(meter.finish(schema))
    }

    /// Deletes a schema of the user. Entities that use it keep their properties.
    ///
    /// # Errors
    /// `NotFound`, `Conflict` for a schema of the program.
    pub async fn delete_schema(&self, user: &WorldUser, id: &str) -> Result<ChargedValue<()>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        core.own_schema(user, id, &mut meter).await?;
        meter.record(core.containers.schemas.delete(&id.into(), id, None).await?);
        Ok(meter.finish(()))
    }
}

fn taken(id: &str) -> Error {
    Error::new(ErrorKind::Conflict, format!("There is a schema '{id}' already."))
}

impl WorldsCore {
    /// A schema of the program or of the user; none if there is no such.
    pub(crate) async fn find_schema(
        &self,
        user: &WorldUser,
        id: &str,
        meter: &mut ChargeMeter,
    ) -> Result<Option<PropertySchema>> {
        if let Some(shipped) = shipped_schemas().into_iter().find(|schema| schema.id == id) {
            return Ok(Some(shipped));
        }
        if EntityId::parse(id).is_err() {
            return Ok(None);
        }
        match self.containers.schemas.read::<PropertySchema>(&id.into(), id).await {
            Ok(read) => {
                let schema = meter.record(read).into_value();
                let is_own = schema.owner_id.as_deref() == Some(user.as_str());
                Ok(is_own.then_some(schema))
            }
            Err(error) if error.kind() == DataError::NotFound => {
                meter.record_error(&error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn own_schema(
        &self,
        user: &WorldUser,
        id: &str,
        meter: &mut ChargeMeter,
    ) -> Result<PropertySchema> {
        let schema = self.find_schema(user, id, meter).await?;
        let schema = schema.ok_or_else(|| Error::not_found("schema"))?;
        if schema.owner_id.is_none() {
            let message = "A schema of the program cannot be changed. Create one with another id.";
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        Ok(schema)
    }

    /// The schema as one of the user, if it has no mistakes.
    fn own(&self, user: &WorldUser, schema: PropertySchema) -> Result<PropertySchema> {
        let mut mistakes = schema.mistakes();
        if let Err(why) = EntityId::parse(schema.id.as_str()) {
            mistakes.push(FieldMistake::new("id", why));
        }
        if self.types.get(&schema.entity_type).is_none() {
            let message = format!("'{}' is no type of entity", schema.entity_type);
            mistakes.push(FieldMistake::new("entityType", message));
        }
        require_no_mistakes("the schema", mistakes)?;
        let owner_id = Some(user.as_str().to_owned());
        Ok(PropertySchema { owner_id, modified_date: self.now(), ..schema })
    }
}
