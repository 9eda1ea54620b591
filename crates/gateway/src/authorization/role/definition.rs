//! Role definitions: named sets of data actions.
//!
//! Owns the two built-in ones and parsing custom ones.

use model::{Json, ValidationError};

use super::action::DataAction;

/// The built-in role that reads everything.
const READER: &str = "00000000-0000-0000-0000-000000000001";
/// The built-in role that reads and writes everything.
const CONTRIBUTOR: &str = "00000000-0000-0000-0000-000000000002";

/// A set of data actions with an id.
#[derive(Clone, Debug)]
pub(super) struct RoleDefinition {
    pub(super) id: String,
    pub(super) actions: Vec<DataAction>,
}

impl RoleDefinition {
    /// The definitions every account has.
    pub(super) fn built_in() -> Vec<Self> {
        let reader = vec![
            DataAction::ReadMetadata,
            DataAction::ReadItem,
            DataAction::ExecuteQuery,
            DataAction::ReadChangeFeed,
        ];
        vec![
            Self { id: READER.to_owned(), actions: reader },
            Self { id: CONTRIBUTOR.to_owned(), actions: DataAction::ALL.to_vec() },
        ]
    }

    /// Parses a definition as the tools of the service print it.
    pub(super) fn parse(json: &Json) -> model::Result<Self> {
        let id = last_segment(json.get("id").or_else(|| json.get("name")));
        let id = id.ok_or_else(|| ValidationError::new("A role definition has no 'id'."))?;
        let permissions = json.get("permissions").and_then(Json::as_array).unwrap_or_default();
        let mut actions = Vec::new();
        for permission in permissions {
            if permission
                // Refused instead of ignored: ignoring an exclusion would grant more than the definition says.
                .get("notDataActions")
                .and_then(Json::as_array)
                .is_some_and(|not| !not.is_empty())
            {
                return Err(ValidationError::new(format!(
                    "The role definition '{id}' has 'notDataActions', which are not supported. List the data actions."
                )));
            }
            let listed = permission.get("dataActions").and_then(Json::as_array);
            for text in listed.unwrap_or_default() {
                actions.extend(parse_actions(&id, text)?);
            }
        }
        if actions.is_empty() {
            return Err(ValidationError::new(format!(
                "The role definition '{id}' allows nothing. Give \"permissions\":[{{\"dataActions\":[...]}}]."
            )));
        }
        Ok(Self { id, actions })
    }
}

fn parse_actions(id: &str, text: &Json) -> model::Result<Vec<DataAction>> {
    let actions = DataAction::matching(text.as_str().unwrap_or_default());
    if actions.is_empty() {
        return Err(ValidationError::new(format!(
            "The role definition '{id}' names the data action {text}, which is not known. Known are: {}.",
            DataAction::ALL.map(DataAction::name).join(", ")
        )));
    }
    Ok(actions)
}

/// The last segment of an id in lower case. Ids come alone or at the end of a resource path.
pub(super) fn last_segment(value: Option<&Json>) -> Option<String> {
    let text = value.and_then(Json::as_str)?.trim_end_matches('/');
    let id = text.rsplit('/').next().unwrap_or(text);
    (!id.is_empty()).then(|| id.to_lowercase())
}
