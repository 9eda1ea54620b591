//! Role assignments: who has which role where.
//!
//! Owns reading them from a settings file and finding those that allow an action.

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
    scope: Scope,
    actions: Vec<DataAction>,
}

/// A part of an account, by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Account,
    Database(String),
    Container(String, String),
}

impl RoleAssignments {
    /// Reads `{"roleDefinitions":[...],"roleAssignments":[...]}`; the built-in definitions need not be listed.
    ///
    /// # Errors
    /// [`ValidationError`] when a member is missing, or an assignment names a definition or a scope that cannot be.
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

    /// Whether one of the principals may do one of the actions in a scope.
    pub(crate) fn allow(&self, principals: &[&str], action: DataAction, scope: &Scope) -> bool {
        self.of(principals, action).any(|assignment| assignment.scope.holds(scope))
    }

    /// Whether one of the principals may do an action anywhere.
    pub(crate) fn allow_somewhere(&self, principals: &[&str], action: DataAction) -> bool {
        self.of(principals, action).next().is_some()
    }

    fn of<'a>(
        &'a self,
        principals: &'a [&str],
        action: DataAction,
    ) -> impl Iterator<Item = &'a RoleAssignment> {
        self.assignments.iter().filter(move |assignment| {
            let is_meant = |principal: &&str| principal.eq_ignore_ascii_case(&assignment.principal);
            assignment.actions.contains(&action) && principals.iter().any(is_meant)
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
                "The role assignment of '{principal}' names the role definition '{id}', which there is not."
            ))
        })?;
        let scope = json.get("scope").and_then(Json::as_str).unwrap_or_default();
        let scope = Scope::parse(scope).ok_or_else(|| {
            ValidationError::new(format!(
                "The role assignment of '{principal}' has the scope '{scope}'. Use '/', '/dbs/x' or '/dbs/x/colls/y'."
            ))
        })?;
        Ok(Self { principal, scope, actions: definition.actions.clone() })
    }
}

impl Scope {
    /// Reads a scope, bare or at the end of the long path of an account.
    fn parse(text: &str) -> Option<Self> {
        let own = match text.split_once("/databaseAccounts/") {
            Some((_, rest)) => rest.split_once('/').map_or("", |(_, own)| own),
            None => text.strip_prefix('/')?,
        };
        let segments: Vec<&str> = own.split('/').filter(|part| !part.is_empty()).collect();
        match segments.as_slice() {
            [] => Some(Self::Account),
            ["dbs", database] => Some(Self::Database((*database).to_owned())),
            ["dbs", database, "colls", container] => {
                Some(Self::Container((*database).to_owned(), (*container).to_owned()))
            }
            _ => None,
        }
    }

    fn holds(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Account, _) => true,
            (Self::Database(ours), Self::Database(database) | Self::Container(database, _)) => {
                ours == database
            }
            _ => self == other,
        }
    }
}

impl std::fmt::Display for Scope {
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
    fn a_scope_holds_what_is_below_it() {
        let scope = |text: &str| Scope::parse(text).unwrap();
        let long = "/subscriptions/s/providers/Microsoft.DocumentDB/databaseAccounts/a/dbs/x";
        assert_eq!(scope(long), scope("/dbs/x"));
        assert_eq!(scope("/subscriptions/s/databaseAccounts/a"), Scope::Account);
        assert!(scope("/").holds(&scope("/dbs/x/colls/y")));
        assert!(scope("/dbs/x").holds(&scope("/dbs/x/colls/y")));
        assert!(scope("/dbs/x/colls/y").holds(&scope("/dbs/x/colls/y")));
        assert!(!scope("/dbs/x/colls/y").holds(&scope("/dbs/x")));
        assert!(!scope("/dbs/x").holds(&scope("/")));
        assert!(!scope("/dbs/x").holds(&scope("/dbs/xy/colls/y")));
        for text in ["", "dbs/x", "/dbs", "/dbs/x/colls", "/dbs/x/docs/y"] {
            assert_eq!(Scope::parse(text), None, "{text}");
        }
    }

    #[test]
    fn mistakes_in_the_file_are_named() {
        for (text, told) in [
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
            assert!(error.message().contains(told), "{text}: {error}");
        }
    }
}
