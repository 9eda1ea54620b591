//! Partition key definitions: the paths, kind and version declared on a container.
//!
//! Owns which definitions are valid, how a key is extracted from an item and which keys fit a definition. Does not own
//! hashing: see `effective_partition_key`.

use super::{PartitionKey, PartitionKeyValue};
use crate::limits::{PARTITION_KEY_BYTES_MAX, PARTITION_KEY_PATHS_MAX};
use crate::{Json, Object, PropertyPath, Result, ValidationError};

/// How the items of a container are partitioned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionKeyDefinition {
    paths: Vec<PropertyPath>,
    kind: PartitionKeyKind,
    version: PartitionKeyVersion,
    /// Whether the client set the version. Only then it is part of the JSON form.
    is_version_explicit: bool,
    /// Whether the container was created without a partition key, as old clients do. Its items have no value at the
    /// path, so that all of them are in one logical partition.
    is_system_key: bool,
}

/// The path of a container that was created without a partition key.
const SYSTEM_KEY_PATH: &str = "/_partitionKey";

/// How the components of a partition key are hashed to an epk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartitionKeyKind {
    /// One path, one hash.
    Hash,
    /// Hierarchical: one hash per level.
    MultiHash,
}

/// Which hash is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartitionKeyVersion {
    /// 32 bits. Only the first 100 bytes of a string are hashed.
    V1,
    /// 128 bits.
    V2,
}

/// Whether a prefix of a hierarchical partition key is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Every level is required.
    Full,
    /// The outer levels are sufficient, as in queries.
    PrefixAllowed,
}

impl PartitionKeyDefinition {
    /// One path, hashed by version 2.
    ///
    /// # Errors
    /// When the path is invalid.
    pub fn single(path: &str) -> Result<Self> {
        Self::new(PartitionKeyKind::Hash, Some(PartitionKeyVersion::V2), &[path])
    }

    /// Several paths, outermost first, hashed by version 2.
    ///
    /// # Errors
    /// When a path is invalid or repeated, or there are none or too many.
    pub fn hierarchical(paths: &[&str]) -> Result<Self> {
        Self::new(PartitionKeyKind::MultiHash, Some(PartitionKeyVersion::V2), paths)
    }

    fn new(
        kind: PartitionKeyKind,
        version: Option<PartitionKeyVersion>,
        paths: &[&str],
    ) -> Result<Self> {
        let paths = paths.iter().map(|path| PropertyPath::parse(path)).collect::<Result<_>>()?;
        let is_version_explicit = version.is_some();
        // Definitions from before version 2 existed carry none.
        let version = version.unwrap_or(PartitionKeyVersion::V1);
        let is_system_key = false;
        let definition = Self { paths, kind, version, is_version_explicit, is_system_key };
        definition.validate_definition()?;
        Ok(definition)
    }

    /// Parses the JSON form. An absent kind means Hash, an absent version means 1.
    ///
    /// # Errors
    /// When a property has the wrong type or the definition is invalid.
    pub fn from_json(value: &Json) -> Result<Self> {
        let object = value.as_object().ok_or_else(|| {
            let actual = value.type_name();
            ValidationError::new(format!(
                "The partition key definition must be an object; it is of type {actual}."
            ))
        })?;
        let paths = object.get("paths").and_then(Json::as_array).ok_or_else(|| {
            ValidationError::new(
                "The partition key definition needs 'paths', an array such as [\"/pk\"].",
            )
        })?;
        let paths = paths.iter().map(path_text).collect::<Result<Vec<_>>>()?;
        paths.iter().try_for_each(|path| check_path(path))?;
        let kind = object.get("kind").map_or(Ok(PartitionKeyKind::Hash), parse_kind)?;
        let version = match object.get("version") {
            None | Some(Json::Null) => None,
            Some(version) => Some(parse_version(version)?),
        };
        let is_system_key = object.get("systemKey").and_then(Json::as_bool) == Some(true);
        Ok(Self { is_system_key, ..Self::new(kind, version, &paths)? })
    }

    /// The definition of a container that was created without a partition key.
    ///
    /// # Errors
    /// Never: its path is valid.
    pub fn of_container_without_key() -> Result<Self> {
        let definition = Self::new(PartitionKeyKind::Hash, None, &[SYSTEM_KEY_PATH])?;
        Ok(Self { is_system_key: true, ..definition })
    }

    /// Whether the container was created without a partition key. Requests about its items need none.
    #[must_use]
    pub fn is_system_key(&self) -> bool {
        self.is_system_key
    }

    /// The JSON form, with the version only if the client set it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        let paths = self.paths.iter().map(|path| Json::from(path.as_str())).collect::<Vec<_>>();
        object.insert("paths", paths);
        object.insert("kind", self.kind.name());
        if self.is_version_explicit {
            object.insert("version", self.version.number());
        }
        if self.is_system_key {
            object.insert("systemKey", true);
        }
        Json::Object(object)
    }

    /// The paths, outermost first; at least one.
    #[must_use]
    pub fn paths(&self) -> &[PropertyPath] {
        &self.paths
    }

    /// How components are hashed to an epk.
    #[must_use]
    pub fn kind(&self) -> PartitionKeyKind {
        self.kind
    }

    /// Which hash is used.
    #[must_use]
    pub fn version(&self) -> PartitionKeyVersion {
        self.version
    }

    /// How many components a full partition key has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.paths.len()
    }

    /// Extracts the partition key of an item. An absent property, an array or an object counts as undefined.
    #[must_use]
    pub fn extract(&self, item: &Json) -> PartitionKey {
        let values =
            self.paths.iter().map(|path| PartitionKeyValue::from_property(path.resolve(item)));
        PartitionKey::from_values(values)
    }

    /// Checks that a key fits this definition.
    ///
    /// # Errors
    /// When it has too few or too many components, or one is too long.
    pub fn validate(&self, key: &PartitionKey, completeness: Completeness) -> Result<()> {
        let (components, levels) = (key.components().len(), self.levels());
        let levels_min = match completeness {
            Completeness::Full => levels,
            // An empty key would mean every partition, which a caller asks for by sending no key.
            Completeness::PrefixAllowed => 1,
        };
        if components < levels_min && components > 0 {
            return Err(ValidationError::new(format!(
                "Partition key provided either doesn't correspond to definition in the collection or doesn't match \
                 partition key field values specified in the document. {key} has {components}, {levels} are defined."
            )));
        }
        if components < levels_min {
            return Err(ValidationError::new(format!(
                // The doubled word is the service's own text.
                "The partition key supplied in x-ms-partitionkey header has fewer components than defined in the the \
                 collection. {key} has {components}, {levels} are defined."
            )));
        }
        if components > levels {
            return Err(ValidationError::new(format!(
                "The partition key supplied in x-ms-partitionkey header has more components than defined in the \
                 collection. {key} has {components}, {levels} are defined."
            )));
        }
        key.components().iter().try_for_each(validate_component)
    }

    fn validate_definition(&self) -> Result<()> {
        let paths = self.paths.len();
        let json = || self.to_json();
        if paths == 0 {
            return Err(ValidationError::new(
                "The partition key definition has no path; give one such as \"/pk\".",
            ));
        }
        match self.kind {
            PartitionKeyKind::Hash if paths > 1 => Err(ValidationError::new(format!(
                "Too many partition key paths: {} has {paths}, kind 'Hash' takes one. Use kind 'MultiHash' with \
                 version 2 for a hierarchical partition key.",
                json()
            ))),
            PartitionKeyKind::MultiHash if paths > PARTITION_KEY_PATHS_MAX => {
                Err(ValidationError::new(format!(
                    "Too many partition key paths ({paths}) specified. A maximum of {PARTITION_KEY_PATHS_MAX} is \
                     allowed.",
                )))
            }
            PartitionKeyKind::MultiHash if self.version != PartitionKeyVersion::V2 => {
                Err(ValidationError::new(format!(
                    "The partition key definition {} is invalid: kind 'MultiHash' needs version 2.",
                    json()
                )))
            }
            _ => self.refuse_repeated_paths(),
        }
    }

    fn refuse_repeated_paths(&self) -> Result<()> {
        let repeated = self.paths.iter().enumerate().find(|(index, path)| {
            // By names, so another spelling of the same path is found too. There are at most three paths.
            self.paths.iter().take(*index).any(|earlier| earlier == *path)
        });
        match repeated {
            Some((_, path)) => Err(ValidationError::new(format!(
                "The partition key path '{path}' is given twice."
            ))),
            None => Ok(()),
        }
    }
}

impl PartitionKeyKind {
    fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::MultiHash => "MultiHash",
        }
    }
}

impl PartitionKeyVersion {
    fn number(self) -> i64 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }
}

/// Refuses a name with a space outside quotes, as the service does: it is more likely a mistake than a name.
/// Refuses a path with the sentence of the service, and adds the reason.
fn check_path(path: &str) -> Result<()> {
    let refused = |position: usize, reason: &str| {
        ValidationError::new(format!(
            "The partition key component definition path '{path}' could not be accepted, failed near position \
             '{position}'. Partition key paths must contain only valid characters and not contain a trailing slash or \
             wildcard character. {reason}"
        ))
    };
    if let Some(position) = unquoted_space(path) {
        let reason = "A name with a space is written in quotes, as in '/\"a b\"'.";
        return Err(refused(position, reason));
    }
    // A path without its first slash fails at once, others at their end.
    let position = if path.starts_with('/') { path.chars().count() } else { 0 };
    let parsed = PropertyPath::parse(path);
    parsed.map(|_| ()).map_err(|invalid| refused(position, invalid.message()))
}

/// The position of the first space outside of quotes.
fn unquoted_space(path: &str) -> Option<usize> {
    let mut quote = None;
    for (position, character) in path.chars().enumerate() {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), character) if open == character => quote = None,
            (None, character) if character.is_whitespace() => return Some(position),
            _ => {}
        }
    }
    None
}

fn path_text(path: &Json) -> Result<&str> {
    path.as_str().ok_or_else(|| {
        ValidationError::new(format!(
            "The partition key path {path} is invalid; use text such as \"/pk\"."
        ))
    })
}

fn parse_kind(kind: &Json) -> Result<PartitionKeyKind> {
    [PartitionKeyKind::Hash, PartitionKeyKind::MultiHash]
        .into_iter()
        .find(|known| kind.as_str() == Some(known.name()))
        .ok_or_else(|| {
            ValidationError::new(format!(
                "The partition key kind {kind} is unknown; use 'Hash' or 'MultiHash'."
            ))
        })
}

/// A number, or the name that the Java SDK sends.
fn parse_version(version: &Json) -> Result<PartitionKeyVersion> {
    [(PartitionKeyVersion::V1, "V1"), (PartitionKeyVersion::V2, "V2")]
        .into_iter()
        .find(|(known, name)| {
            version.as_i64() == Some(known.number()) || version.as_str() == Some(name)
        })
        .map(|(known, _)| known)
        .ok_or_else(|| {
            ValidationError::new(format!(
                "The partition key version {version} is unknown; use 1 or 2."
            ))
        })
}

fn validate_component(component: &PartitionKeyValue) -> Result<()> {
    match component {
        PartitionKeyValue::String(text) if text.len() > PARTITION_KEY_BYTES_MAX => {
            Err(ValidationError::new(format!(
                "The partition key component '{}...' has {} bytes; at most {PARTITION_KEY_BYTES_MAX} are allowed.",
                text.chars().take(32).collect::<String>(),
                text.len()
            )))
        }
        _ => Ok(()),
    }
}
