//! What a resource token grants.
//!
//! Owns the grant as a value. Does not own reading it from a permission (see `permission`), its text (see `token`) or
//! checking a request against it (see `authorize`).

/// What a resource token grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceGrant {
    /// Resource id of the container.
    pub(super) container: String,
    pub(super) scope: GrantScope,
    pub(super) may_write: bool,
    /// One logical partition as JSON text, or all.
    pub(super) partition_key: Option<String>,
}

/// The part of a container that a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GrantScope {
    /// All items and scripts.
    Container,
    /// One item, as the permission names it.
    Item(String),
    /// One item, by resource id.
    ItemRid(String),
    /// One script, by resource id.
    Script(String),
}

impl ResourceGrant {
    /// A grant of nothing: no container has an empty resource id.
    pub(crate) fn nothing() -> Self {
        Self {
            container: String::new(),
            scope: GrantScope::Container,
            may_write: false,
            partition_key: None,
        }
    }
}
