//! The scripts of an account, for the plan of a schema.
//!
//! Owns the way to them: the engine of a folder, or signed requests to a server. Does not own their comparison.

use async_trait::async_trait;
use client::DatabaseId;
use engine::{AttachedKind, ContainerLink, Engine};
use model::{ContainerId, Json, Object};
use service::schema::{ScriptSchema, ScriptSchemaKind, ScriptStore, ScriptStoreError};

use crate::account_location::AccountLocation;
use crate::command::script::{FolderScripts, KINDS, ScriptFile, ScriptPlace};
use crate::error::CommandError;

/// Where the scripts are.
pub(super) enum AccountScripts {
    /// In a folder.
    Folder(Engine),
    /// On a server.
    #[cfg(feature = "connect")]
    Server { url: String, key: Box<gateway::AccountKey> },
    /// Nowhere: the folder does not exist yet, or this binary cannot reach a server.
    Nowhere,
}

impl AccountScripts {
    pub(super) fn new(
        location: &AccountLocation,
        engine: Option<Engine>,
    ) -> Result<Self, CommandError> {
        match (location, engine) {
            (_, Some(engine)) => Ok(Self::Folder(engine)),
            #[cfg(feature = "connect")]
            (AccountLocation::Endpoint { url, key }, None) => {
                let key = gateway::AccountKey::parse(key).map_err(|_| {
                    let reason = "the account key is not base64";
                    CommandError::new(format!("connecting to {url}"), reason)
                })?;
                Ok(Self::Server { url: url.clone(), key: Box::new(key) })
            }
            _ => Ok(Self::Nowhere),
        }
    }
}

#[async_trait]
impl ScriptStore for AccountScripts {
    async fn list(
        &self,
        database: &DatabaseId,
        container: &ContainerId,
    ) -> Result<Vec<ScriptSchema>, ScriptStoreError> {
        let container = &link(database, container);
        match self {
            Self::Folder(engine) => list_all(&FolderScripts { engine, container }).await,
            #[cfg(feature = "connect")]
            Self::Server { url, key } => {
                let server = crate::server_call::ServerCall { endpoint: url, key };
                list_all(&crate::command::script::ServerScripts { server, container }).await
            }
            Self::Nowhere => Ok(Vec::new()),
        }
    }

    async fn put(
        &self,
        database: &DatabaseId,
        container: &ContainerId,
        script: &ScriptSchema,
    ) -> Result<(), ScriptStoreError> {
        let container = &link(database, container);
        let file = script_file(script);
        let put = match self {
            Self::Folder(engine) => FolderScripts { engine, container }.put(&file).await,
            #[cfg(feature = "connect")]
            Self::Server { url, key } => {
                let server = crate::server_call::ServerCall { endpoint: url, key };
                crate::command::script::ServerScripts { server, container }.put(&file).await
            }
            Self::Nowhere => {
                return Err(ScriptStoreError::new(
                    "this binary was built without the feature 'connect'",
                ));
            }
        };
        put.map_err(|error| ScriptStoreError::new(error.to_string()))
    }
}

fn link(database: &DatabaseId, container: &ContainerId) -> ContainerLink {
    ContainerLink { database: database.clone(), container: container.clone() }
}

async fn list_all(place: &impl ScriptPlace) -> Result<Vec<ScriptSchema>, ScriptStoreError> {
    let mut scripts = Vec::new();
    for (kind, ..) in KINDS {
        let listed = place.list(kind).await;
        for content in listed.map_err(|error| ScriptStoreError::new(error.to_string()))? {
            scripts.push(script_schema(kind, &content)?);
        }
    }
    Ok(scripts)
}

/// A stored script as a schema declares it.
fn script_schema(kind: AttachedKind, content: &Object) -> Result<ScriptSchema, ScriptStoreError> {
    let text = |name: &str| content.get(name).and_then(Json::as_str).unwrap_or_default();
    let kind = match kind {
        AttachedKind::Trigger => {
            ScriptSchemaKind::trigger(text("triggerType"), text("triggerOperation"))
        }
        AttachedKind::UserDefinedFunction => Ok(ScriptSchemaKind::Function),
        _ => Ok(ScriptSchemaKind::Procedure),
    };
    let script = kind.and_then(|kind| ScriptSchema::new(kind, text("id"), text("body")));
    script.map_err(|error| ScriptStoreError::new(error.message()))
}

/// A declared script as it is sent.
fn script_file(script: &ScriptSchema) -> ScriptFile {
    let mut content = Object::new();
    content.insert("id", script.id());
    content.insert("body", script.body());
    let kind = match script.kind() {
        ScriptSchemaKind::Procedure => AttachedKind::StoredProcedure,
        ScriptSchemaKind::Function => AttachedKind::UserDefinedFunction,
        ScriptSchemaKind::Trigger { trigger_type, operation } => {
            content.insert("triggerType", trigger_type);
            content.insert("triggerOperation", operation);
            AttachedKind::Trigger
        }
    };
    ScriptFile { kind, id: script.id().to_owned(), content }
}
