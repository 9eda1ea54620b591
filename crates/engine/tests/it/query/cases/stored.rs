//! Items of cases as the engine can store them, and rows as cases write them.
//!
//! Items whose ids are texts, or that have none and are given one, are stored as they are; rows then lose what the
//! engine added. Items with other ids, or two with the same, are stored below a property, and the query is made to look
//! there.

use model::{Json, Object};
use query::ast::{FromClause, Identifier, QueryTree, SourceForm, SourceRoot, SourceStep};

/// The property that holds an item stored below one.
const BELOW: &str = "item";
const ADDED_ID: &str = "added id ";
const SYSTEM: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// How the items of a case are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Form {
    AsIs,
    WithIds,
    Below,
}

impl Form {
    /// The plainest form that leaves the answer of a query what it is.
    pub(super) fn of(items: &[Json], text: &str) -> Self {
        let mut ids: Vec<&str> = Vec::new();
        let mut form = Self::AsIs;
        for item in items {
            match (item.as_object(), item.get("id").map(Json::as_str)) {
                (None, _) | (_, Some(None)) => return Self::Below,
                (_, None) => form = Self::WithIds,
                (_, Some(Some(id))) if ids.contains(&id) || id.is_empty() => return Self::Below,
                (_, Some(Some(id))) => ids.push(id),
            }
        }
        // An id of their own would keep equal items apart.
        if form == Self::WithIds && text.contains("DISTINCT *") { Self::Below } else { form }
    }

    /// The item to store.
    pub(super) fn stored(self, number: usize, item: &Json) -> Json {
        let mut object = match (self, item) {
            (Self::AsIs | Self::WithIds, Json::Object(object)) => object.clone(),
            _ => {
                let mut object = Object::new();
                object.insert(BELOW, item.clone());
                object
            }
        };
        if object.get("id").is_none() {
            object.insert("id", format!("{ADDED_ID}{number}"));
        }
        Json::Object(object)
    }

    /// The query over items so stored.
    pub(super) fn query(self, text: &str) -> String {
        let Ok(mut tree) = query::parse(text) else { return text.to_owned() };
        match self {
            Self::AsIs | Self::WithIds => text.to_owned(),
            Self::Below => {
                look_below(&mut tree);
                query::print(&tree)
            }
        }
    }

    /// A row as the case writes it.
    pub(super) fn row(row: &str) -> String {
        match Json::parse(row.as_bytes()) {
            Ok(json) if has_added(&json) => without_added(&json).to_string(),
            _ => row.to_owned(),
        }
    }
}

/// Makes the one input that is the container begin below a property.
fn look_below(query: &mut QueryTree) {
    let Some(FromClause { first, .. }) = &mut query.from else { return };
    let name = match &mut first.path.root {
        SourceRoot::Subquery(inner) => return look_below(inner),
        SourceRoot::Name(name) => name.clone(),
    };
    if let SourceForm::Value(alias @ None) = &mut first.form {
        let last = first.path.steps.iter().rev().find_map(|step| match step {
            SourceStep::Property(name) | SourceStep::Quoted(name) => Some(name.clone()),
            SourceStep::Index(_) => None,
        });
        *alias = Some(last.unwrap_or_else(|| name.clone()));
    }
    let step = Identifier { text: BELOW.to_owned(), ..name };
    first.path.steps.insert(0, SourceStep::Property(step));
}

/// Whether a value holds what the engine added, anywhere.
fn has_added(json: &Json) -> bool {
    match json {
        Json::Array(elements) => elements.iter().any(has_added),
        Json::Object(object) => {
            object.iter().any(|(name, value)| is_added(name, value) || has_added(value))
        }
        _ => false,
    }
}

fn is_added(name: &str, value: &Json) -> bool {
    let is_added_id = name == "id" && value.as_str().is_some_and(|text| text.starts_with(ADDED_ID));
    is_added_id || SYSTEM.contains(&name)
}

fn without_added(json: &Json) -> Json {
    match json {
        Json::Array(elements) => Json::Array(elements.iter().map(without_added).collect()),
        Json::Object(object) => {
            let mut rest = Object::new();
            for (name, value) in object.iter().filter(|(name, value)| !is_added(name, value)) {
                rest.insert(name, without_added(value));
            }
            Json::Object(rest)
        }
        scalar => scalar.clone(),
    }
}
