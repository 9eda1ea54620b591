//! Users, permissions, keys and scripts as lines of a backup.

use engine::response::DatabaseResource;
use engine::{AttachedKind, ContainerLink, Engine};
use model::{Json, Object, ResourceId};

use super::begin::named;
use crate::http::{ApiError, ApiResult};

/// The kinds and their names in lines.
const KINDS: [(AttachedKind, &str); 6] = [
    (AttachedKind::User, "user"),
    (AttachedKind::Permission, "permission"),
    (AttachedKind::StoredProcedure, "storedProcedure"),
    (AttachedKind::Trigger, "trigger"),
    (AttachedKind::UserDefinedFunction, "userDefinedFunction"),
    (AttachedKind::ClientEncryptionKey, "clientEncryptionKey"),
];

/// Adds the users of a database with their permissions, and its keys.
pub(super) async fn add_of_database(
    engine: &Engine,
    database: &DatabaseResource,
    lines: &mut Vec<Object>,
) -> ApiResult<()> {
    let name = database.properties.id.as_str();
    for kind in [AttachedKind::User, AttachedKind::ClientEncryptionKey] {
        for found in engine.list_attached(database.rid, kind).await?.value {
            let (id, rid) = (found.id.clone(), found.rid);
            lines.push(line(kind, name, None, found.content));
            if kind == AttachedKind::User {
                for permission in engine.list_attached(rid, AttachedKind::Permission).await?.value {
                    let content = permission.content;
                    lines.push(line(AttachedKind::Permission, name, Some(&id), content));
                }
            }
        }
    }
    Ok(())
}

/// Adds the scripts of a container.
pub(super) async fn add_of_container(
    engine: &Engine,
    link: &ContainerLink,
    rid: ResourceId,
    lines: &mut Vec<Object>,
) -> ApiResult<()> {
    for kind in
        [AttachedKind::StoredProcedure, AttachedKind::Trigger, AttachedKind::UserDefinedFunction]
    {
        for found in engine.list_attached(rid, kind).await?.value {
            let owner = Some(link.container.as_str());
            lines.push(line(kind, link.database.as_str(), owner, found.content));
        }
    }
    Ok(())
}

fn line(kind: AttachedKind, database: &str, owner: Option<&str>, content: Object) -> Object {
    let name = KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, name)| *name);
    let mut line = Object::new();
    line.insert("kind", name);
    line.insert("database", database);
    if let Some(owner) = owner {
        line.insert("owner", owner);
    }
    line.insert("content", content);
    named("attached", line)
}

/// Creates what a line describes; what exists already stays.
pub(super) async fn create(engine: &Engine, line: &Json) -> ApiResult<()> {
    let text = |name: &str| {
        let found = line.get(name).and_then(Json::as_str);
        found.ok_or_else(|| ApiError::bad_request(format!("A line has no '{name}'.")))
    };
    let kind = text("kind")?;
    let found = KINDS.iter().find(|(_, name)| *name == kind).map(|(kind, _)| *kind);
    let kind =
        found.ok_or_else(|| ApiError::bad_request(format!("A line has the kind '{kind}'.")))?;
    let content = line.get("content").and_then(Json::as_object).cloned().unwrap_or_default();
    let owner = match kind {
        AttachedKind::User | AttachedKind::ClientEncryptionKey => {
            let id = model::DatabaseId::new(text("database")?)?;
            engine.read_database(&id).await?.value.rid
        }
        AttachedKind::Permission => {
            let id = model::DatabaseId::new(text("database")?)?;
            let database = engine.read_database(&id).await?.value.rid;
            engine.read_attached(database, AttachedKind::User, text("owner")?).await?.value.rid
        }
        AttachedKind::StoredProcedure
        | AttachedKind::Trigger
        | AttachedKind::UserDefinedFunction => {
            let link = ContainerLink::new(text("database")?, text("owner")?)?;
            engine.read_container(&link).await?.value.rid
        }
    };
    match engine.create_attached(owner, kind, content).await {
        Err(error) if error.kind() != engine::ErrorKind::Conflict => Err(error.into()),
        _ => Ok(()),
    }
}
