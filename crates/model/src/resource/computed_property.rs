//! Computed properties: named query texts that queries can use like stored properties.
//!
//! Owns the name rules and the outer shape of the text, `SELECT VALUE <expression> FROM <alias>`. Does not own the
//! expression: the full check (forbidden clauses and functions, references to other computed properties) belongs to
//! the query crate.

use std::collections::HashSet;

use super::members::Members;
use super::system_property::is_system_property;
use crate::limits::COMPUTED_PROPERTIES_MAX;
use crate::{Json, Object, Result, ValidationError};

/// A top-level property whose value is computed from the item when a query asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedProperty {
    name: String,
    query: String,
}

impl ComputedProperty {
    /// Checks the name and the outer shape of the query text.
    pub fn new(name: &str, query: &str) -> Result<Self> {
        check_name(name)?;
        check_shape(name, query)?;
        Ok(Self { name: name.to_owned(), query: query.to_owned() })
    }

    /// The name that queries use.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The query text, as the client wrote it.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Parses the wire array: at most 20, no name twice.
    pub fn list_from_json(elements: &[Json]) -> Result<Vec<Self>> {
        if elements.len() > COMPUTED_PROPERTIES_MAX {
            return Err(ValidationError::new(format!(
                "The container has {} computed properties; at most {COMPUTED_PROPERTIES_MAX} are \
                 allowed.",
                elements.len()
            )));
        }
        let mut names = HashSet::new();
        let mut list = Vec::with_capacity(elements.len());
        for element in elements {
            let members = Members::new("computed property", element)?;
            let property =
                Self::new(members.required_text("name")?, members.required_text("query")?)?;
            if !names.insert(property.name.clone()) {
                return Err(ValidationError::new(format!(
                    "The computed property '{}' is defined twice; give each its own name.",
                    property.name
                )));
            }
            list.push(property);
        }
        Ok(list)
    }

    /// The wire form of one computed property.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("name", self.name.as_str());
        object.insert("query", self.query.as_str());
        Json::Object(object)
    }
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.contains(['/', '\\', '?', '#', '"']) {
        return Err(ValidationError::new(format!(
            "The computed property name '{name}' is not the name of a top-level property; use a \
             name without / \\ ? # and quotes."
        )));
    }
    if name == "id" || is_system_property(name) {
        return Err(ValidationError::new(format!(
            "The computed property name '{name}' belongs to the system; choose another name."
        )));
    }
    Ok(())
}

/// Checks only the words outside quotes and brackets: SELECT VALUE first, one FROM, one alias last.
fn check_shape(name: &str, query: &str) -> Result<()> {
    let words = outer_words(query);
    let is = |index: usize, word: &str| {
        words.get(index).is_some_and(|found| found.eq_ignore_ascii_case(word))
    };
    // The last one: words of a subquery are inside brackets and never get here, but a property may have this name.
    let from = words.iter().rposition(|word| word.eq_ignore_ascii_case("from"));
    let shaped = is(0, "select")
        && is(1, "value")
        && from.is_some_and(|from| {
            from > 2
                && from + 2 == words.len()
                && words.get(from + 1).is_some_and(|alias| is_identifier(alias))
        });
    if shaped {
        return Ok(());
    }
    Err(ValidationError::new(format!(
        "The query of the computed property '{name}' must be SELECT VALUE <expression> FROM \
         <alias>, not: {query}"
    )))
}

fn is_identifier(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Splits at white space outside quotes and brackets; quoted and bracketed text stays inside its word.
fn outer_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for letter in text.chars() {
        match quote {
            Some(open) => {
                // Before `escaped` is updated: it says whether the character before this one was a backslash.
                if !escaped && letter == open {
                    quote = None;
                }
                escaped = !escaped && letter == '\\';
            }
            None => match letter {
                '"' | '\'' => quote = Some(letter),
                '(' | '[' | '{' => depth += 1,
                // A bracket too many is a syntax error, which the parser of the query crate reports better.
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            },
        }
        if letter.is_whitespace() && depth == 0 && quote.is_none() {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_select_value_from_alias_is_accepted() {
        for query in [
            "SELECT VALUE LOWER(c.name) FROM c",
            "select value c.price * 0.9\nfrom c",
            r#"SELECT VALUE CONCAT(c.a, " from ", c['x y']) FROM c"#,
        ] {
            assert!(ComputedProperty::new("cp", query).is_ok(), "{query}");
        }
    }

    #[test]
    fn any_other_shape_is_refused() {
        for query in [
            "",
            "SELECT * FROM c",
            "SELECT VALUE FROM c",
            "SELECT VALUE c.a",
            "SELECT VALUE c.a FROM c WHERE c.a > 1",
            "SELECT VALUE c.a FROM c.b",
            "SELECT c.a FROM c",
        ] {
            let error = ComputedProperty::new("cp", query).unwrap_err();
            assert!(error.message().contains("SELECT VALUE <expression> FROM <alias>"), "{error}");
        }
    }

    #[test]
    fn system_names_and_paths_are_refused() {
        for name in ["", "id", "_ts", "_etag", "_rid", "_self", "_attachments", "a/b"] {
            assert!(ComputedProperty::new(name, "SELECT VALUE c.a FROM c").is_err(), "{name}");
        }
    }

    #[test]
    fn twenty_are_allowed_and_none_twice() {
        let one = |number: usize| {
            ComputedProperty::new(&format!("cp{number}"), "SELECT VALUE c.a FROM c")
                .unwrap()
                .to_json()
        };
        let list: Vec<Json> = (0..20).map(one).collect();
        assert_eq!(ComputedProperty::list_from_json(&list).unwrap().len(), 20);
        let list: Vec<Json> = (0..21).map(one).collect();
        assert!(ComputedProperty::list_from_json(&list).is_err());
        assert!(ComputedProperty::list_from_json(&[one(1), one(1)]).is_err());
    }
}
