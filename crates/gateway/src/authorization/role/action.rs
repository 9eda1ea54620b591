//! Data actions, and which one a request needs.
//!
//! Owns the closed list and the table from requests to actions. A request that has no action here needs the account
//! key; no role allows it.

use hyper::Method;

use crate::http::{ApiRequest, header};
use crate::route::{ContainerRoute, Route, ScriptKind};

/// The prefix of all data actions.
const PREFIX: &str = "Microsoft.DocumentDB/databaseAccounts/";

/// One action on data that a role may allow.
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

    /// The actions that a batch may consist of.
    pub(super) const ITEM_ACTIONS: [Self; 5] =
        [Self::CreateItem, Self::ReadItem, Self::ReplaceItem, Self::UpsertItem, Self::DeleteItem];

    fn suffix(self) -> &'static str {
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
        format!("{PREFIX}{}", self.suffix())
    }

    /// The actions that a text of a role definition matches: one by its name, or several by a star at the end.
    pub(crate) fn matching(text: &str) -> Vec<Self> {
        let Some(suffix) = strip_prefix_ignoring_case(text, PREFIX) else { return Vec::new() };
        let matches = |action: &Self| match suffix.strip_suffix('*') {
            // A star matches one level: all actions of containers, or all actions of items.
            Some("") => true,
            Some(prefix) => {
                let rest = strip_prefix_ignoring_case(action.suffix(), prefix);
                // `items/re*` is refused: the service allows a star only for a whole segment.
                prefix.ends_with('/') && rest.is_some_and(|rest| !rest.contains('/'))
            }
            None => action.suffix().eq_ignore_ascii_case(suffix),
        };
        Self::ALL.into_iter().filter(matches).collect()
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, tail) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

/// What a request requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequiredAccess {
    Action(DataAction),
    /// The actions of the operations in the body.
    Batch,
    AccountKey,
}

/// Determines what a request requires. Its body is not needed.
pub(super) fn required_access(request: &ApiRequest, route: Option<Route<'_>>) -> RequiredAccess {
    let is_get = request.method == Method::GET;
    let is_read = is_get || (request.method == Method::POST && request.is_query());
    match route {
        Some(Route::Account | Route::Database(_)) if is_get => {
            RequiredAccess::Action(DataAction::ReadMetadata)
        }
        Some(Route::Databases | Route::Containers(_)) if is_read => {
            RequiredAccess::Action(DataAction::ReadMetadata)
        }
        Some(Route::Container(_, _, inner)) => access_in_container(request, inner),
        _ => RequiredAccess::AccountKey,
    }
}

fn access_in_container(request: &ApiRequest, inner: ContainerRoute<'_>) -> RequiredAccess {
    let method = &request.method;
    RequiredAccess::Action(match inner {
        ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges if method == Method::GET => {
            DataAction::ReadMetadata
        }
        ContainerRoute::Items if method == Method::GET => {
            match request.header(&header::A_IM).is_some() {
                true => DataAction::ReadChangeFeed,
                false => DataAction::ExecuteQuery,
            }
        }
        ContainerRoute::Items if method == Method::POST => return access_of_post(request),
        ContainerRoute::Item(_) if method == Method::GET => DataAction::ReadItem,
        ContainerRoute::Item(_) if method == Method::PUT => DataAction::ReplaceItem,
        ContainerRoute::Item(_) if method == Method::PATCH => DataAction::ReplaceItem,
        ContainerRoute::Item(_) if method == Method::DELETE => DataAction::DeleteItem,
        ContainerRoute::PartitionKeyDelete => DataAction::DeleteItem,
        ContainerRoute::Conflicts | ContainerRoute::Conflict(_) => DataAction::ManageConflicts,
        ContainerRoute::Script(ScriptKind::StoredProcedure, _) if method == Method::POST => {
            DataAction::ExecuteStoredProcedure
        }
        // The safe default: a route that is added later needs the key until somebody gives it an action.
        _ => return RequiredAccess::AccountKey,
    })
}

/// The order must be that of `item::handle_feed`: a request must not be authorized as one operation and run as another.
fn access_of_post(request: &ApiRequest) -> RequiredAccess {
    if request.flag(&header::IS_QUERY_PLAN) {
        return RequiredAccess::Action(DataAction::ExecuteQuery);
    }
    if request.flag(&header::IS_BATCH) {
        return RequiredAccess::Batch;
    }
    RequiredAccess::Action(match (request.is_query(), request.flag(&header::IS_UPSERT)) {
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
    fn a_star_matches_one_level() {
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
