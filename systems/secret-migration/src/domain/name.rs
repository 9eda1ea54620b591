//! Names of clusters, namespaces and workloads, and the id made of them.
//!
//! Owns their rules. A `:` in a part would make two workloads share an id (`a:b` + `c` and `a` + `b:c`), so no part may
//! have one. Kubernetes forbids it in its names; cluster names are ours to check.

use client::PartitionKey;
use serde::{Deserialize, Serialize};

const LABEL_CHARS_MAX: usize = 63;
/// Kubernetes allows names of workloads as long as a DNS name.
const WORKLOAD_CHARS_MAX: usize = 253;

macro_rules! checked_name {
    ($(#[$docs:meta])* $name:ident, $what:literal, $chars_max:expr, $separators:literal) => {
        $(#[$docs])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks a name.
            ///
            /// # Errors
            /// The rule, with the text that breaks it.
            pub fn parse(text: impl Into<String>) -> Result<Self, String> {
                let text = text.into();
                match broken_rule(&text, $chars_max, $separators) {
                    None => Ok(Self(text)),
                    Some(rule) => {
                        let shown: String = text.chars().take(80).collect();
                        Err(format!("'{shown}' is no name of a {}: {rule}", $what))
                    }
                }
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}

checked_name!(
    /// The name of a cluster, the partition key of everything about it.
    ClusterName, "cluster", LABEL_CHARS_MAX, "-."
);
checked_name!(
    /// The name of a namespace.
    NamespaceName, "namespace", LABEL_CHARS_MAX, "-"
);
checked_name!(
    /// The name of a workload.
    WorkloadName, "workload", WORKLOAD_CHARS_MAX, "-."
);

fn broken_rule(text: &str, chars_max: usize, separators: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if text.is_empty() || text.len() > chars_max {
        return Some(format!("it must have 1 to {chars_max} characters"));
    }
    if !text.chars().all(|c| is_plain(c) || separators.contains(c)) {
        let allowed: Vec<String> = separators.chars().map(|c| format!("'{c}'")).collect();
        let allowed = allowed.join(" and ");
        return Some(format!("allowed are lower-case letters, digits and {allowed}"));
    }
    None
}

/// A workload by its names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkloadKey {
    /// Its cluster.
    pub cluster: ClusterName,
    /// Its namespace.
    pub namespace: NamespaceName,
    /// Its name.
    pub name: WorkloadName,
}

impl WorkloadKey {
    /// Checks the three names.
    ///
    /// # Errors
    /// The rule that the first wrong name breaks.
    pub fn parse(cluster: &str, namespace: &str, name: &str) -> Result<Self, String> {
        Ok(Self {
            cluster: ClusterName::parse(cluster)?,
            namespace: NamespaceName::parse(namespace)?,
            name: WorkloadName::parse(name)?,
        })
    }

    /// Reads an id back.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn parse_id(id: &str) -> Result<Self, String> {
        let parts: Vec<&str> = id.split(':').collect();
        match parts.as_slice() {
            [cluster, namespace, name] => Self::parse(cluster, namespace, name),
            _ => Err(format!("'{id}' is no id of a workload: write cluster:namespace:workload")),
        }
    }

    /// The id of its document: `cluster:namespace:workloadName`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}:{}:{}", self.cluster, self.namespace, self.name)
    }

    /// The partition key of its document.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.cluster.partition_key()
    }
}

impl std::fmt::Display for WorkloadKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}:{}", self.cluster, self.namespace, self.name)
    }
}

impl ClusterName {
    /// The partition key of everything about the cluster.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_or_a_capital_is_refused_with_the_rule() {
        for wrong in ["", "a:b", "Prod", "a b", "ä", "a/b", &"a".repeat(64)] {
            let why = ClusterName::parse(wrong).unwrap_err();
            assert!(why.contains("cluster") && why.contains("must have") | why.contains("allowed"));
        }
        assert!(NamespaceName::parse("a.b").is_err(), "a namespace has no dots");
        assert!(WorkloadName::parse("a".repeat(253)).is_ok());
        assert!(WorkloadName::parse("a".repeat(254)).is_err());
    }

    #[test]
    fn an_id_is_read_back() {
        let key = WorkloadKey::parse("wcnp-prod-01", "shop", "cart.v2").unwrap();
        assert_eq!(key.id(), "wcnp-prod-01:shop:cart.v2");
        assert_eq!(WorkloadKey::parse_id(&key.id()).unwrap(), key);
        for wrong in ["", "a:b", "a:b:c:d", "A:b:c"] {
            assert!(WorkloadKey::parse_id(wrong).is_err(), "{wrong}");
        }
    }
}
