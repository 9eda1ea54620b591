//! Data actions, and which one a request needs.
//!
//! Owns the closed list and the table from requests to actions. What has no action here cannot be done with a token of
//! an issuer at all, only with the account key.

use hyper::Method;

use crate::exchange::{Request, header};
use crate::route::{ContainerRoute, Route, ScriptKind};

/// What all data actions begin with.
const FAMILY: &str = "Microsoft.DocumentDB/databaseAccounts/";

/// One thing that may be done to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataAction {
    ReadMetadata,
    ExecuteQuery,
    ReadChangeFeed,
    ExecuteStoredProcedure,
    ManageConflicts,
    CreateItem,
    ReadItem,
    ReplaceItem,
    UpsertItem,
    DeleteItem,
}

impl DataAction {
    pub(crate) const ALL: [Self; 10] = [
        Self::ReadMetadata,
        Self::ExecuteQuery,
        Self::ReadChangeFeed,
        Self::ExecuteStoredProcedure,
        Self::ManageConflicts,
        Self::CreateItem,
        Self::ReadItem,
        Self::ReplaceItem,
        Self::UpsertItem,
        Self::DeleteItem,
    ];

    /// The actions of the parts of a batch.
    pub(crate) const OF_ITEMS: [Self; 5] =
        [Self::CreateItem, Self::ReadItem, Self::ReplaceItem, Self::UpsertItem, Self::DeleteItem];

    fn tail(self) -> &'static str {
        match self {
            Self::ReadMetadata => "readMetadata",
            Self::ExecuteQuery => "sqlDatabases/containers/executeQuery",
            Self::ReadChangeFeed => "sqlDatabases/containers/readChangeFeed",
            Self::ExecuteStoredProcedure => "sqlDatabases/containers/executeStoredProcedure",
            Self::ManageConflicts => "sqlDatabases/containers/manageConflicts",
            Self::CreateItem => "sqlDatabases/containers/items/create",
            Self::ReadItem => "sqlDatabases/containers/items/read",
            Self::ReplaceItem => "sqlDatabases/containers/items/replace",
            Self::UpsertItem => "sqlDatabases/containers/items/upsert",
            Self::DeleteItem => "sqlDatabases/containers/items/delete",
        }
    }

    pub(crate) fn name(self) -> String {
        format!("{FAMILY}{}", self.tail())
    }

    /// The actions a text of a role definition stands for: one by its name, or several by a star at the end.
    pub(crate) fn matching(text: &str) -> Vec<Self> {
        let Some(tail) = strip_prefix_ignoring_case(text, FAMILY) else { return Vec::new() };
        let fits = |action: &Self| match tail.strip_suffix('*') {
            // A star stands for one level: all of containers, or all of items.
            Some("") => true,
            Some(prefix) => {
                let rest = strip_prefix_ignoring_case(action.tail(), prefix);
                prefix.ends_with('/') && rest.is_some_and(|rest| !rest.contains('/'))
            }
            None => action.tail().eq_ignore_ascii_case(tail),
        };
        Self::ALL.into_iter().filter(fits).collect()
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, tail) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    One(DataAction),
    /// Those of its operations, which the body names.
    OfBatch,
    /// The account key.
    Key,
}

/// What a request needs, before its body is looked at.
pub(crate) fn needed(request: &Request, route: Option<Route<'_>>) -> Needed {
    let is_get = request.method == Method::GET;
    let is_question = is_get || (request.method == Method::POST && request.is_query());
    match route {
        Some(Route::Account | Route::Database(_)) if is_get => {
            Needed::One(DataAction::ReadMetadata)
        }
        Some(Route::Databases | Route::Containers(_)) if is_question => {
            Needed::One(DataAction::ReadMetadata)
        }
        Some(Route::Container(_, _, inner)) => in_container(request, inner),
        _ => Needed::Key,
    }
}

fn in_container(request: &Request, inner: ContainerRoute<'_>) -> Needed {
    let verb = &request.method;
    Needed::One(match inner {
        ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges if verb == Method::GET => {
            DataAction::ReadMetadata
        }
        ContainerRoute::Items if verb == Method::GET => {
            match request.header(&header::A_IM).is_some() {
                true => DataAction::ReadChangeFeed,
                false => DataAction::ExecuteQuery,
            }
        }
        ContainerRoute::Items if verb == Method::POST => return posted(request),
        ContainerRoute::Item(_) if verb == Method::GET => DataAction::ReadItem,
        ContainerRoute::Item(_) if verb == Method::PUT => DataAction::ReplaceItem,
        ContainerRoute::Item(_) if verb == Method::PATCH => DataAction::ReplaceItem,
        ContainerRoute::Item(_) if verb == Method::DELETE => DataAction::DeleteItem,
        ContainerRoute::PartitionKeyDelete => DataAction::DeleteItem,
        ContainerRoute::Conflicts | ContainerRoute::Conflict(_) => DataAction::ManageConflicts,
        ContainerRoute::Script(ScriptKind::StoredProcedure, _) if verb == Method::POST => {
            DataAction::ExecuteStoredProcedure
        }
        _ => return Needed::Key,
    })
}

/// The order is that of the dispatch of items.
fn posted(request: &Request) -> Needed {
    if request.flag(&header::IS_QUERY_PLAN) {
        return Needed::One(DataAction::ExecuteQuery);
    }
    if request.flag(&header::IS_BATCH) {
        return Needed::OfBatch;
    }
    Needed::One(match (request.is_query(), request.flag(&header::IS_UPSERT)) {
        (true, _) => DataAction::ExecuteQuery,
        (false, true) => DataAction::UpsertItem,
        (false, false) => DataAction::CreateItem,
    })
}

#[cfg(test)]
mod tests {
    use super::DataAction;

    fn count(tail: &str) -> usize {
        DataAction::matching(&format!("Microsoft.DocumentDB/databaseAccounts/{tail}")).len()
    }

    #[test]
    fn a_star_stands_for_one_level() {
        assert_eq!(count("*"), 10);
        assert_eq!(count("sqlDatabases/containers/*"), 4);
        assert_eq!(count("sqlDatabases/containers/items/*"), 5);
        assert_eq!(count("readMetadata"), 1);
        assert_eq!(count("READMETADATA"), 1);
        for nothing in ["", "read*", "sqlDatabases/*", "sqlDatabases/containers/items/fly"] {
            assert_eq!(count(nothing), 0, "{nothing}");
        }
    }

    #[test]
    fn every_action_is_matched_by_its_own_name() {
        for action in DataAction::ALL {
            assert_eq!(DataAction::matching(&action.name()), [action]);
        }
    }
}
