//! The query by which clients look throughput up: one property equal to one text.
//!
//! Owns the few forms clients send. Does not own the query language.

use model::Json;

use crate::exchange::{Failure, Outcome};

/// Which offers are wanted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    With { property: String, text: String },
}

impl Wanted {
    pub(crate) fn matches(&self, offer: &Json) -> bool {
        match self {
            Self::All => true,
            Self::With { property, text } => {
                offer.get(property).and_then(Json::as_str) == Some(text)
            }
        }
    }
}

/// Reads a query such as `SELECT * FROM c WHERE c.offerResourceId = @rid`.
pub(crate) fn parse(body: &Json) -> Outcome<Wanted> {
    let text = body.get("query").and_then(Json::as_str).unwrap_or_default();
    let refused = || {
        Failure::bad_request(format!(
            "Offers are looked up by one property, as in SELECT * FROM c WHERE c.offerResourceId = '<resource id>'. \
             The query was: {text}"
        ))
    };
    let lower = text.to_ascii_lowercase();
    if !lower.trim_start().starts_with("select * from ") {
        return Err(refused());
    }
    let Some((_, condition)) = lower.find(" where ").and_then(|at| text.split_at_checked(at + 7))
    else {
        return Ok(Wanted::All);
    };
    let (left, right) = condition.split_once('=').ok_or_else(refused)?;
    let property = left.trim().rsplit('.').next().unwrap_or_default().to_owned();
    let right = right.trim().trim_end_matches(';');
    let text = match right.strip_prefix('@') {
        Some(_) => parameter(body, right).ok_or_else(refused)?,
        None => quoted(right).ok_or_else(refused)?,
    };
    Ok(Wanted::With { property, text })
}

fn parameter(body: &Json, name: &str) -> Option<String> {
    let parameters = body.get("parameters").and_then(Json::as_array)?;
    let is_named = |parameter: &&Json| parameter.get("name").and_then(Json::as_str) == Some(name);
    parameters.iter().find(is_named)?.get("value")?.as_str().map(str::to_owned)
}

fn quoted(text: &str) -> Option<String> {
    let quotes = ['"', '\''];
    let inner = quotes.iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (!inner.contains(quotes)).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, property: &str, text: &str) {
        let wanted = parse(&Json::parse(body.as_bytes()).unwrap()).unwrap();
        let expected = Wanted::With { property: property.to_owned(), text: text.to_owned() };
        assert_eq!(wanted, expected, "{body}");
    }

    #[test]
    fn the_forms_of_the_clients_are_read() {
        check(
            r#"{"query":"SELECT * FROM root r WHERE r.resource=@link","parameters":[{"name":"@link","value":"a/"}]}"#,
            "resource",
            "a/",
        );
        check(r#"{"query":"SELECT * from root where root.resource = \"a/\""}"#, "resource", "a/");
        check(
            r#"{"query":"SELECT * FROM c WHERE c.offerResourceId = 'r='"}"#,
            "offerResourceId",
            "r=",
        );
    }

    #[test]
    fn other_queries_are_refused() {
        for query in ["SELECT c.id FROM c", "SELECT * FROM c WHERE c.a > 'x'"] {
            let body = format!(r#"{{"query":"{query}"}}"#);
            assert!(parse(&Json::parse(body.as_bytes()).unwrap()).is_err(), "{query}");
        }
    }
}
