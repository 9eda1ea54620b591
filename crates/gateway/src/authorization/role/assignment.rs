//! Role assignments: which principal has which role in which scope.
//!
//! Owns parsing them from a settings file and finding those that allow an action.

use model::{Json, ValidationError};

use super::action::DataAction;
use super::definition::{RoleDefinition, last_segment};

/// All role assignments of an account.
#[derive(Clone, Debug, Default)]
pub struct RoleAssignments {
    assignments: Vec<RoleAssignment>,
}

#[derive(Clone, Debug)]
struct RoleAssignment {
    /// Object id of a caller or a group, in lower case.
    principal: String,
    scope: RoleScope,
    actions: Vec<DataAction>,
}

/// A part of an account, by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RoleScope {
    Account,
    Database(String),
    Container(String, String),
}

impl RoleAssignments {
    /// Parses `{"roleDefinitions":[...],"roleAssignments":[...]}`. The built-in definitions need not be listed.
    ///
    /// # Errors
    /// [`ValidationError`] when a property is missing, or an assignment has an unknown definition or an invalid scope.
    pub fn parse(text: &str) -> model::Result<Self> {
        let json = Json::parse(text.as_bytes()).map_err(|error| {
            ValidationError::new(format!("The role assignments are not JSON: {error}."))
        })?;
        let list = |name: &str| json.get(name).and_then(Json::as_array);
        let mut definitions = RoleDefinition::built_in();
        for definition in list("roleDefinitions").unwrap_or_default() {
            definitions.push(RoleDefinition::parse(definition)?);
        }
        let listed = list("roleAssignments").ok_or_else(|| {
            ValidationError::new("The role assignments have no array 'roleAssignments'.")
        })?;
        let assignments = listed.iter().map(|entry| RoleAssignment::parse(entry, &definitions));
        Ok(Self { assignments: assignments.collect::<model::Result<_>>()? })
    }

    /// Whether one of the principals may perform an action in a scope.
    pub(super) fn allow(&self, principals: &[&str], action: DataAction, scope: &RoleScope) -> bool {
        self.matching(principals, action).any(|assignment| assignment.scope.contains(scope))
    }

    /// Whether one of the principals may perform an action in any scope.
    pub(super) fn allow_anywhere(&self, principals: &[&str], action: DataAction) -> bool {
        self.matching(principals, action).next().is_some()
    }

    fn matching<'a>(
        &'a self,
        principals: &'a [&str],
        action: DataAction,
    ) -> impl Iterator<Item = &'a RoleAssignment> {
        self.assignments.iter().filter(move |assignment| {
            // Object ids are UUIDs, which tools print in either case.
            let matches = |principal: &&str| principal.eq_ignore_ascii_case(&assignment.principal);
            assignment.actions.contains(&action) && principals.iter().any(matches)
        })
    }
}

impl RoleAssignment {
    fn parse(json: &Json, definitions: &[RoleDefinition]) -> model::Result<Self> {
        let principal = last_segment(json.get("principalId"));
        let principal = principal.ok_or_else(|| {
            ValidationError::new(
                "A role assignment has no 'principalId': the object id of who is allowed.",
            )
        })?;
        let id = last_segment(json.get("roleDefinitionId")).unwrap_or_default();
        let definition = definitions.iter().find(|definition| definition.id == id);
        let definition = definition.ok_or_else(|| {
            ValidationError::new(format!(
                "The role assignment of '{principal}' names the role definition '{id}', which does not exist."
            ))
        })?;
        let scope = json.get("scope").and_then(Json::as_str).unwrap_or_default();
        let scope = RoleScope::parse(scope).ok_or_else(|| {
            ValidationError::new(format!(
                "The role assignment of '{principal}' has the scope '{scope}'. Use '/', '/dbs/x' or '/dbs/x/colls/y'."
            ))
        })?;
        Ok(Self { principal, scope, actions: definition.actions.clone() })
    }
}

impl RoleScope {
    /// Parses a scope: a path inside the account, alone or at the end of the resource path of the account.
    fn parse(text: &str) -> Option<Self> {
        let path = match text.split_once("/databaseAccounts/") {
            // The name of the account in the path is not compared: there is one account here.
            Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
            None => text.strip_prefix('/')?,
        };
        let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match segments.as_slice() {
            [] => Some(Self::Account),
            ["dbs", database] => Some(Self::Database((*database).to_owned())),
            ["dbs", database, "colls", container] => {
                Some(Self::Container((*database).to_owned(), (*container).to_owned()))
            }
            _ => None,
        }
    }

    fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Account, _) => true,
            (Self::Database(own), Self::Database(database) | Self::Container(database, _)) => {
                // Names are case-sensitive, as in the rest of the API.
                own == database
            }
            _ => self == other,
        }
    }
}

impl std::fmt::Display for RoleScope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Account => formatter.write_str("/"),
            Self::Database(database) => write!(formatter, "dbs/{database}"),
            Self::Container(database, container) => {
                write!(formatter, "dbs/{database}/colls/{container}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_contains_what_is_below_it() {
        let scope = |text: &str| RoleScope::parse(text).unwrap();
        let long = "/subscriptions/s/providers/Microsoft.DocumentDB/databaseAccounts/a/dbs/x";
        assert_eq!(scope(long), scope("/dbs/x"));
        assert_eq!(scope("/subscriptions/s/databaseAccounts/a"), RoleScope::Account);
        assert!(scope("/").contains(&scope("/dbs/x/colls/y")));
        assert!(scope("/dbs/x").contains(&scope("/dbs/x/colls/y")));
        assert!(scope("/dbs/x/colls/y").contains(&scope("/dbs/x/colls/y")));
        assert!(!scope("/dbs/x/colls/y").contains(&scope("/dbs/x")));
        assert!(!scope("/dbs/x").contains(&scope("/")));
        assert!(!scope("/dbs/x").contains(&scope("/dbs/xy/colls/y")));
        for text in ["", "dbs/x", "/dbs", "/dbs/x/colls", "/dbs/x/docs/y"] {
            assert_eq!(RoleScope::parse(text), None, "{text}");
        }
    }

    #[test]
    fn errors_name_what_is_wrong_in_the_file() {
        for (text, expected) in [
            ("x", "not JSON"),
            ("{}", "roleAssignments"),
            (r#"{"roleAssignments":[{}]}"#, "principalId"),
            (r#"{"roleAssignments":[{"principalId":"p","scope":"/"}]}"#, "role definition ''"),
            (
                r#"{"roleDefinitions":[{"id":"r","permissions":[{"dataActions":["fly"]}]}],"roleAssignments":[]}"#,
                "fly",
            ),
            (r#"{"roleDefinitions":[{"id":"r"}],"roleAssignments":[]}"#, "allows nothing"),
            (
                r#"{"roleAssignments":[{"principalId":"p","roleDefinitionId":"00000000-0000-0000-0000-000000000001"}]}"#,
                "scope ''",
            ),
        ] {
            let error = RoleAssignments::parse(text).unwrap_err();
            assert!(error.message().contains(expected), "{text}: {error}");
        }
    }
}
