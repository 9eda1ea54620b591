//! Routes: from the path of a request to the resource that it names.
//!
//! Owns the list of all paths. Does not own methods: each handler checks its own. A segment may be an id or a resource
//! id; the engine decides which when it resolves the segment.

use std::borrow::Cow;

use engine::{AttachedKind, ContainerAddress};
use model::{ResourceId, ResourceIdKind};

use crate::http::percent_decode;

/// Number of segments of the longest route.
const SEGMENTS_MAX: usize = 8;

/// The path of a request with its segments decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestPath<'a> {
    /// The path as it was sent, without the slashes around it.
    pub(crate) raw: &'a str,
    /// Its decoded segments.
    segments: Vec<Cow<'a, str>>,
}

impl<'a> RequestPath<'a> {
    /// Splits a path into segments. A trailing slash is ignored.
    pub(crate) fn parse(path: &'a str) -> Self {
        let raw = path.trim_matches('/');
        let mut segments = Vec::with_capacity(SEGMENTS_MAX);
        let parts = split_segments(raw);
        // Most paths contain none and are borrowed as they are.
        if raw.contains('%') {
            segments.extend(parts.map(percent_decode));
        } else {
            segments.extend(parts.map(Cow::Borrowed));
        }
        Self { raw, segments }
    }

    /// A decoded segment by index.
    pub(crate) fn segment(&self, index: usize) -> Option<&str> {
        self.segments.get(index).map(AsRef::as_ref)
    }

    /// The decoded last segment.
    pub(crate) fn last_segment(&self) -> Option<&str> {
        self.segments.last().map(AsRef::as_ref)
    }

    /// Whether there are two slashes in a row within it.
    pub(crate) fn has_empty_segment(&self) -> bool {
        let slashes = self.raw.bytes().filter(|byte| *byte == b'/').count();
        !self.raw.is_empty() && slashes + 1 != self.segments.len()
    }

    /// Whether it lies under `/_planisphere`.
    pub(crate) fn is_own(&self) -> bool {
        self.segment(0) == Some("_planisphere")
    }

    /// Whether a POST to it asks and changes nothing.
    pub(crate) fn is_question(&self) -> bool {
        self.is_own() && matches!(self.segment(1), Some("explain" | "indexes" | "plan"))
    }

    /// The route of the path, or `None` if it is unknown.
    pub(crate) fn route(&self) -> Option<Route<'_>> {
        // Slice patterns need plain `&str`s; an array on the stack avoids a second vector.
        let mut array = [""; SEGMENTS_MAX];
        // A path with more segments than any route is unknown.
        let segments = array.get_mut(..self.segments.len())?;
        for (slot, segment) in segments.iter_mut().zip(&self.segments) {
            *slot = segment;
        }
        Some(match &*segments {
            [] => Route::Account,
            ["offers"] => Route::Offers,
            ["offers", offer] => Route::Offer(offer),
            ["addresses"] => Route::Addresses,
            ["_planisphere", rest @ ..] => Route::Own(OwnRoute::parse(rest)?),
            ["dbs"] => Route::Databases,
            ["dbs", database] => Route::Database(database),
            ["dbs", database, "colls"] => Route::Containers(database),
            ["dbs", database, "users"] => Route::Users(database),
            ["dbs", database, "users", user] => Route::User(database, user),
            ["dbs", database, "users", user, "permissions"] => Route::Permissions(database, user),
            ["dbs", database, "users", user, "permissions", permission] => {
                Route::Permission(database, user, permission)
            }
            ["dbs", database, "clientencryptionkeys"] => Route::EncryptionKeys(database),
            ["dbs", database, "clientencryptionkeys", key] => Route::EncryptionKey(database, key),
            ["dbs", database, "colls", container, rest @ ..] => {
                Route::Container(database, container, ContainerRoute::parse(rest)?)
            }
            _ => return None,
        })
    }
}

/// Splits a path at its slashes and skips empty segments.
pub(crate) fn split_segments(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('/');
        let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
        let (segment, tail) = rest.split_at_checked(end)?;
        rest = tail;
        (!segment.is_empty()).then_some(segment)
    })
}

/// The resource that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Account,
    Offers,
    Offer(&'a str),
    Addresses,
    Own(OwnRoute<'a>),
    Databases,
    Database(&'a str),
    Containers(&'a str),
    Users(&'a str),
    User(&'a str, &'a str),
    Permissions(&'a str, &'a str),
    Permission(&'a str, &'a str, &'a str),
    EncryptionKeys(&'a str),
    EncryptionKey(&'a str, &'a str),
    Container(&'a str, &'a str, ContainerRoute<'a>),
}

/// What a path names under `/_planisphere`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnRoute<'a> {
    Usage,
    Report,
    Requests,
    Request(&'a str),
    Traffic,
    Backups,
    Backup(&'a str),
    Restore,
    RestorePoint,
    Partitions(&'a str, &'a str),
    PartitionKeys(&'a str, &'a str, &'a str),
    Versions(&'a str, &'a str, &'a str),
    Indexes(&'a str, &'a str),
    Explain(&'a str, &'a str),
    Plan(&'a str, &'a str),
    History(&'a str, &'a str, &'a str),
}

impl<'a> OwnRoute<'a> {
    fn parse(segments: &[&'a str]) -> Option<Self> {
        Some(match segments {
            ["usage"] => Self::Usage,
            ["report"] => Self::Report,
            ["requests"] => Self::Requests,
            ["requests", number] => Self::Request(number),
            ["traffic"] => Self::Traffic,
            ["backups"] => Self::Backups,
            ["backups", number] => Self::Backup(number),
            ["restore"] => Self::Restore,
            ["restore-point"] => Self::RestorePoint,
            ["partitions", database, container] => Self::Partitions(database, container),
            ["partitions", database, container, number, "keys"] => {
                Self::PartitionKeys(database, container, number)
            }
            ["versions", database, container, item] => Self::Versions(database, container, item),
            ["indexes", database, container] => Self::Indexes(database, container),
            ["explain", database, container] => Self::Explain(database, container),
            ["plan", database, container] => Self::Plan(database, container),
            ["history", database, container, second] => Self::History(database, container, second),
            _ => return None,
        })
    }
}

impl Route<'_> {
    /// Whether it is a list of resources, which a POST can query.
    pub(crate) fn is_feed(&self) -> bool {
        match self {
            Self::Offers
            | Self::Databases
            | Self::Containers(_)
            | Self::Users(_)
            | Self::Permissions(..) => true,
            Self::Container(_, _, inner) => matches!(
                inner,
                ContainerRoute::Items | ContainerRoute::Conflicts | ContainerRoute::Scripts(_)
            ),
            _ => false,
        }
    }
}

/// The resource that a path names inside a container, or the container itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContainerRoute<'a> {
    Itself,
    Items,
    Item(&'a str),
    PartitionKeyRanges,
    PartitionKeyDelete,
    Conflicts,
    Conflict(&'a str),
    Scripts(ScriptKind),
    Script(ScriptKind, &'a str),
}

/// The kinds of scripts of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptKind {
    StoredProcedure,
    Trigger,
    UserDefinedFunction,
}

impl<'a> ContainerRoute<'a> {
    fn parse(segments: &[&'a str]) -> Option<Self> {
        Some(match segments {
            [] => Self::Itself,
            ["docs"] => Self::Items,
            ["docs", item] => Self::Item(item),
            ["pkranges"] => Self::PartitionKeyRanges,
            ["operations", "partitionkeydelete"] => Self::PartitionKeyDelete,
            ["conflicts"] => Self::Conflicts,
            ["conflicts", conflict] => Self::Conflict(conflict),
            [kind] => Self::Scripts(ScriptKind::parse(kind)?),
            [kind, script] => Self::Script(ScriptKind::parse(kind)?, script),
            _ => return None,
        })
    }
}

impl ScriptKind {
    fn parse(segment: &str) -> Option<Self> {
        match segment {
            "sprocs" => Some(Self::StoredProcedure),
            "triggers" => Some(Self::Trigger),
            "udfs" => Some(Self::UserDefinedFunction),
            _ => None,
        }
    }

    /// The kind of attached resource under which scripts of this kind are stored.
    pub(crate) fn attached_kind(self) -> AttachedKind {
        match self {
            Self::StoredProcedure => AttachedKind::StoredProcedure,
            Self::Trigger => AttachedKind::Trigger,
            Self::UserDefinedFunction => AttachedKind::UserDefinedFunction,
        }
    }
}

/// Parses a segment as the resource id of an item. Only below a container that is itself addressed by resource id,
/// because an item id may look like a resource id.
pub(crate) fn parse_item_rid(address: &ContainerAddress, segment: &str) -> Option<ResourceId> {
    let rid = address.by_resource_id.then(|| ResourceId::parse(segment).ok()).flatten()?;
    let is_item = rid.kind() == ResourceIdKind::Item && rid.container_id() == Some(address.rid);
    is_item.then_some(rid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_segments_are_skipped() {
        for path in ["", "/", "a", "/a/", "a/b", "//a///bé/c//", "dbs/%2F/colls", "é/é", "///"] {
            let expected: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
            assert_eq!(split_segments(path).collect::<Vec<_>>(), expected, "{path}");
            let decoded: Vec<_> = expected.iter().map(|part| percent_decode(part)).collect();
            assert_eq!(RequestPath::parse(path).segments, decoded, "{path}");
        }
    }
}
