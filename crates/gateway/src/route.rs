//! Paths: from the text of a path to the resource it names.
//!
//! Owns the list of all paths. Does not own verbs: each resource says which it has. Any segment may be an id or a
//! resource id; whoever resolves it finds out.

use engine::AttachedKind;

use std::borrow::Cow;

use crate::exchange::percent_decoded;

/// Segments of the longest path that names something.
const SEGMENTS_MAX: usize = 8;

/// A path with its segments decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    /// The path as it came, without the slashes around it.
    pub(crate) raw: &'a str,
    /// Its segments, decoded.
    segments: Vec<Cow<'a, str>>,
}

impl<'a> Path<'a> {
    /// Takes a path apart; a slash at the end does not count.
    pub(crate) fn parse(path: &'a str) -> Self {
        let raw = path.trim_matches('/');
        let mut segments = Vec::with_capacity(SEGMENTS_MAX);
        let parts = segments_of(raw);
        if raw.contains('%') {
            segments.extend(parts.map(percent_decoded));
        } else {
            segments.extend(parts.map(Cow::Borrowed));
        }
        Self { raw, segments }
    }

    /// A segment by its place, decoded.
    pub(crate) fn segment(&self, place: usize) -> Option<&str> {
        self.segments.get(place).map(AsRef::as_ref)
    }

    /// The last segment, decoded.
    pub(crate) fn last_segment(&self) -> Option<&str> {
        self.segments.last().map(AsRef::as_ref)
    }

    /// What the path names; none when it names nothing we know.
    pub(crate) fn route(&self) -> Option<Route<'_>> {
        let mut room = [""; SEGMENTS_MAX];
        let segments = room.get_mut(..self.segments.len())?;
        for (place, segment) in segments.iter_mut().zip(&self.segments) {
            *place = segment;
        }
        Some(match &*segments {
            [] => Route::Account,
            ["offers"] => Route::Offers,
            ["offers", offer] => Route::Offer(offer),
            ["addresses"] => Route::Addresses,
            ["_planisphere", "usage"] => Route::Usage,
            ["_planisphere", "report"] => Route::Report,
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

/// What stands between the slashes of a path, without what is empty.
pub(crate) fn segments_of(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('/');
        let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
        let (segment, beyond) = rest.split_at_checked(end)?;
        rest = beyond;
        (!segment.is_empty()).then_some(segment)
    })
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Account,
    Offers,
    Offer(&'a str),
    Addresses,
    Usage,
    Report,
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

/// What a path names inside a container.
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

/// The kinds of scripts.
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

    /// The kind of attached resource that a script is.
    pub(crate) fn attached(self) -> AttachedKind {
        match self {
            Self::StoredProcedure => AttachedKind::StoredProcedure,
            Self::Trigger => AttachedKind::Trigger,
            Self::UserDefinedFunction => AttachedKind::UserDefinedFunction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stand_between_slashes() {
        for path in ["", "/", "a", "/a/", "a/b", "//a///bé/c//", "dbs/%2F/colls", "é/é", "///"] {
            let expected: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
            assert_eq!(segments_of(path).collect::<Vec<_>>(), expected, "{path}");
            let decoded: Vec<_> = expected.iter().map(|part| percent_decoded(part)).collect();
            assert_eq!(Path::parse(path).segments, decoded, "{path}");
        }
    }
}
