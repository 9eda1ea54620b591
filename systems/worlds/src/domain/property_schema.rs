//! Property schemas: which properties an entity has, their types, rules and defaults.
//!
//! Owns validation, defaults and the export as JSON Schema. Properties that a schema does not name are allowed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::UtcTimestamp;
use super::property_rule::PropertyRule;
use crate::error::FieldMistake;

const SHIPPED: &str = include_str!("../../data/property_schemas.json");
/// Properties of a schema at most.
const PROPERTIES_MAX: usize = 200;

/// One item of the container `PropertySchema`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct PropertySchema {
    /// The id, such as `dnd5e-character`.
    #[serde(rename = "id")]
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The type of entity it was made for.
    pub entity_type: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Properties of any rules system.
    #[serde(default)]
    pub common_properties: Vec<PropertyDefinition>,
    /// Properties of one rules system.
    #[serde(default)]
    pub system_properties: Vec<PropertyDefinition>,
    /// When it was created.
    #[serde(default)]
    #[schema(value_type = String)]
    pub created_date: UtcTimestamp,
    /// When it was changed last.
    #[serde(default)]
    #[schema(value_type = String)]
    pub modified_date: UtcTimestamp,
    /// Who may change it; nobody if it is shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<String>,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct PropertyDefinition {
    /// The name, such as `Level`.
    pub name: String,
    /// `string`, `int`, `number`, `bool`, `date`, `object` or `array`.
    pub data_type: String,
    /// Whether an entity must have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The value of an entity without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub default_value: Option<Value>,
    /// Rules, such as `min:1,max:20`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_rule: Option<String>,
    /// The label in forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The help text in forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The schemas that the program brings.
#[must_use]
pub fn shipped_schemas() -> Vec<PropertySchema> {
    serde_json::from_str(SHIPPED).expect("the shipped schemas are valid; a test loads them")
}

impl PropertySchema {
    /// Everything that is wrong with the schema itself.
    pub(crate) fn mistakes(&self) -> Vec<FieldMistake> {
        let mut mistakes = Vec::new();
        if self.name.trim().is_empty() || self.name.chars().count() > 100 {
            mistakes.push(FieldMistake::new("name", "must have 1 to 100 characters"));
        }
        let groups = [
            ("commonProperties", &self.common_properties),
            ("systemProperties", &self.system_properties),
        ];
        for (group, definitions) in groups {
            if definitions.len() > PROPERTIES_MAX {
                mistakes.push(FieldMistake::new(group, format!("has more than {PROPERTIES_MAX}")));
                continue;
            }
            let mut seen = std::collections::BTreeSet::new();
            for (number, one) in definitions.iter().enumerate() {
                let field = format!("{group}[{number}]");
                if one.name.is_empty() || !seen.insert(one.name.as_str()) {
                    let message = format!("the name '{}' is empty or there twice", one.name);
                    mistakes.push(FieldMistake::new(field.as_str(), message));
                }
                mistakes.extend(one.mistake().map(|why| FieldMistake::new(field, why)));
            }
        }
        mistakes
    }

    /// Fills in the defaults and returns everything that is wrong with the properties of an entity.
    pub(crate) fn apply(
        &self,
        properties: &mut Option<Map<String, Value>>,
        system_properties: &mut Option<Map<String, Value>>,
    ) -> Vec<FieldMistake> {
        let mut mistakes = apply_group("properties", &self.common_properties, properties);
        let system = apply_group("systemProperties", &self.system_properties, system_properties);
        mistakes.extend(system);
        mistakes
    }

    /// The same schema in the language of JSON Schema, for other programs.
    #[must_use]
    pub fn to_json_schema(&self) -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": self.id,
            "title": self.name,
            "description": self.description,
            "type": "object",
            "properties": {
                "properties": group_schema(&self.common_properties),
                "systemProperties": group_schema(&self.system_properties),
            },
        })
    }
}

impl PropertyDefinition {
    fn rules(&self) -> Result<Vec<PropertyRule>, String> {
        PropertyRule::parse_list(self.validation_rule.as_deref().unwrap_or_default())
    }

    fn mistake(&self) -> Option<String> {
        if !TYPES.iter().any(|(name, _)| *name == self.data_type) {
            let known: Vec<_> = TYPES.iter().map(|(name, _)| *name).collect();
            return Some(format!(
                "'{}' is no type; known are {}",
                self.data_type,
                known.join(", ")
            ));
        }
        let rules = match self.rules() {
            Ok(rules) => rules,
            Err(why) => return Some(why),
        };
        let default = self.default_value.as_ref()?;
        let wrong = self.wrong_type(default);
        let why = wrong.or_else(|| rules.iter().find_map(|rule| rule.violation(default)))?;
        Some(format!("its default {why}"))
    }

    fn wrong_type(&self, value: &Value) -> Option<String> {
        let is_right = match self.data_type.as_str() {
            "string" => value.is_string(),
            "int" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "bool" => value.is_boolean(),
            "date" => value.as_str().is_some_and(is_date),
            "object" => value.is_object(),
            "array" => value.is_array(),
            _ => false,
        };
        (!is_right).then(|| format!("is not of the type {}", self.data_type))
    }

    fn mistakes(&self, field: &str, value: &Value) -> Vec<FieldMistake> {
        if let Some(why) = self.wrong_type(value) {
            return vec![FieldMistake::new(field, why)];
        }
        let rules = self.rules().unwrap_or_default();
        let wrong = rules.iter().filter_map(|rule| rule.violation(value));
        wrong.map(|why| FieldMistake::new(field, why)).collect()
    }
}

/// The types, and their names in JSON Schema.
const TYPES: [(&str, &str); 7] = [
    ("string", "string"),
    ("int", "integer"),
    ("number", "number"),
    ("bool", "boolean"),
    ("date", "string"),
    ("object", "object"),
    ("array", "array"),
];

/// A day or a point in time.
fn is_date(text: &str) -> bool {
    UtcTimestamp::parse(text).is_ok() || UtcTimestamp::parse(&format!("{text}T00:00:00Z")).is_ok()
}

fn apply_group(
    group: &str,
    definitions: &[PropertyDefinition],
    values: &mut Option<Map<String, Value>>,
) -> Vec<FieldMistake> {
    let mut mistakes = Vec::new();
    for one in definitions {
        let field = format!("{group}.{}", one.name);
        let value = values.as_ref().and_then(|values| values.get(&one.name));
        match (value, &one.default_value) {
            (Some(value), _) if !value.is_null() => mistakes.extend(one.mistakes(&field, value)),
            (_, Some(default)) => {
                let values = values.get_or_insert_with(Map::new);
                values.insert(one.name.clone(), default.clone());
            }
            (_, None) if one.required => {
                mistakes.push(FieldMistake::new(field, "is required"));
            }
            _ => {}
        }
    }
    mistakes
}

fn group_schema(definitions: &[PropertyDefinition]) -> Value {
    let property = |one: &PropertyDefinition| {
        let kind = TYPES.iter().find(|(name, _)| *name == one.data_type).map(|(_, kind)| *kind);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), kind.into());
        let texts = [("title", &one.display_name), ("description", &one.description)];
        for (name, text) in texts {
            schema.extend(text.clone().map(|text| (name.to_owned(), text.into())));
        }
        schema.extend(one.default_value.clone().map(|value| ("default".to_owned(), value)));
        for rule in one.rules().unwrap_or_default() {
            let (name, value) = rule.json_schema();
            schema.insert(name.to_owned(), value);
        }
        (one.name.clone(), Value::Object(schema))
    };
    let properties: Map<_, _> = definitions.iter().map(property).collect();
    let required: Vec<_> =
        definitions.iter().filter(|one| one.required).map(|one| one.name.as_str()).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(id: &str) -> PropertySchema {
        shipped_schemas().into_iter().find(|schema| schema.id == id).unwrap()
    }

    #[test]
    fn eight_schemas_are_shipped_and_none_has_a_mistake() {
        let schemas = shipped_schemas();
        assert_eq!(schemas.len(), 8);
        for schema in schemas {
            assert_eq!(schema.mistakes(), [], "{}", schema.id);
        }
    }

    #[test]
    fn all_mistakes_are_found_at_once_and_defaults_are_filled_in() {
        let schema = shipped("dnd5e-character");
        let mut properties =
            json!({ "Level": 21, "Alignment": "Bad", "Own": 1 }).as_object().cloned();
        let mut system = json!({ "ArmorClass": "high" }).as_object().cloned();
        let mistakes = schema.apply(&mut properties, &mut system);
        let fields: Vec<_> = mistakes.iter().map(|one| one.field.as_str()).collect();
        let wrong = ["properties.Level", "properties.Alignment", "systemProperties.ArmorClass"];
        assert_eq!(fields, wrong);
        let system = system.unwrap();
        assert_eq!(system["HitPoints"], json!({ "Current": 8, "Max": 8 }));
        let mut none = (None, None);
        let mistakes = schema.apply(&mut none.0, &mut none.1);
        assert_eq!(mistakes.len(), 2, "{mistakes:?}");
        assert_eq!(none.1.unwrap()["ArmorClass"], 10);
    }

    #[test]
    fn a_schema_with_mistakes_names_them() {
        let mut schema = shipped("generic-campaign");
        schema.common_properties[0].data_type = "text".to_owned();
        schema.common_properties[2].validation_rule = Some("min:a".to_owned());
        schema.common_properties[3].default_value = Some(json!(-1));
        assert_eq!(schema.mistakes().len(), 3, "{:?}", schema.mistakes());
    }

    #[test]
    fn the_export_says_the_same_as_json_schema() {
        let exported = shipped("dnd5e-character").to_json_schema();
        let level = &exported["properties"]["properties"]["properties"]["Level"];
        assert_eq!(*level, json!({ "type": "integer", "minimum": 1.0, "maximum": 20.0 }));
        let required = &exported["properties"]["properties"]["required"];
        assert_eq!(*required, json!(["Level", "Alignment"]));
    }
}
