//! References to secrets: where they are, never what they are.
//!
//! Owns the stored forms of `hashiSecrets` and `smpSecrets`. There is no field here that could hold a value.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The secrets of a workload in Vault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HashiSecrets {
    /// The address of the Vault, if it is not the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The mount of the paths.
    pub mount: String,
    /// The paths, sorted.
    pub items: Vec<SourceReference>,
    /// Which key the fingerprints were made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint_key: Option<String>,
}

/// One path in Vault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceReference {
    /// The path below the mount.
    pub path: String,
    /// Its mount, if it is not that of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<String>,
    /// The version that was copied last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub version: Option<SecretVersion>,
    /// The keys the workload uses; empty if it uses all, or if nobody knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The fingerprint of the version that was copied last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// The secrets of a workload on the new platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SmpSecrets {
    /// The address of the platform, if the namespace names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The paths, in the order of their sources.
    pub items: Vec<TargetReference>,
}

/// One path on the new platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetReference {
    /// The path.
    pub path: String,
    /// The version that was written.
    #[schema(value_type = u64)]
    pub version: SecretVersion,
    /// The keys it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The fingerprint of what was written.
    pub fingerprint: String,
    /// The path in Vault that it was copied from.
    pub source_path: String,
}

/// A version: a number, or what another platform calls one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SecretVersion {
    /// As Vault counts.
    Number(u64),
    /// An etag or a GUID.
    Text(String),
}

impl std::fmt::Display for SecretVersion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}

impl From<u64> for SecretVersion {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl Serialize for SecretVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for SecretVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Number(number) if number.is_u64() => {
                Ok(Self::Number(number.as_u64().unwrap_or_default()))
            }
            serde_json::Value::String(text) => Ok(Self::Text(text)),
            _ => Err(serde::de::Error::custom("a version is a number or a text")),
        }
    }
}

impl HashiSecrets {
    /// The mount of an item.
    #[must_use]
    pub fn mount_of<'a>(&'a self, item: &'a SourceReference) -> &'a str {
        item.mount.as_deref().unwrap_or(&self.mount)
    }

    /// Whether another scan found the same paths and keys. What a copy has recorded is left out of the comparison.
    #[must_use]
    pub fn has_paths_of(&self, other: &Self) -> bool {
        let plain = |secrets: &Self| -> Vec<(String, String, Vec<String>)> {
            let items = secrets.items.iter();
            items
                .map(|item| {
                    (secrets.mount_of(item).to_owned(), item.path.clone(), item.keys.clone())
                })
                .collect()
        };
        self.address == other.address && plain(self) == plain(other)
    }
}
