//! Resuming an ordered query after given values.
//!
//! Clients that merge ordered rows name the values they stopped at beside the text of the query. Owns turning these
//! values into a condition of the text, so that plans, indexes and continuation tokens treat it like any other filter.
//! Does not own continuation tokens: of filter and token, the more restrictive one applies.

use model::{Json, ResourceId};

use crate::ast::{
    BinaryOperator, FromClause, Literal, OrderBy, OrderItem, QueryTree, Scalar, ScalarKind,
    Selection, SortOrder, SourceForm, SourceRoot, Span,
};
use crate::error::QueryError;
use crate::parser::parse;
use crate::printer::{print, print_scalar};

/// The tests of the types in their order, after undefined.
const TYPE_TESTS: [&str; 6] =
    ["IS_NULL", "IS_BOOLEAN", "IS_NUMBER", "IS_STRING", "IS_ARRAY", "IS_OBJECT"];

/// Adds the condition of a resume filter to the text of an ordered query. The filter is
/// `{"value":[...],"rid":"...","exclude":false}`: one value for each key of ORDER BY, `[]` for undefined, and an object
/// with `type`, `low` and `high` for the hash of an array or object. Rows from the values on are returned; with
/// `exclude` only those after them, and with `rid`, of the rows with exactly these values, those from that item on:
/// older items if the index is read backwards, else newer ones.
///
/// # Errors
/// When the text cannot be parsed, has no ORDER BY, or the filter does not fit it.
pub fn resume_query(
    text: &str,
    filter: &Json,
    is_reversed: bool,
) -> Result<String, Vec<QueryError>> {
    let mut tree = parse(text)?;
    let condition = condition(&tree, filter, is_reversed).map_err(|error| vec![error])?;
    let condition = parsed_condition(&condition)?;
    tree.filter = Some(match tree.filter.take() {
        Some(filter) => Scalar::binary(filter, BinaryOperator::And, condition),
        None => condition,
    });
    Ok(print(&tree))
}

fn refused(reason: &str) -> QueryError {
    QueryError::refusal(format!("The resumeFilter of the query is invalid: {reason}"))
}

/// Parses a condition by itself.
fn parsed_condition(text: &str) -> Result<Scalar, Vec<QueryError>> {
    match parse(&format!("SELECT VALUE ({text})"))?.select.selection {
        Selection::Value(condition) => Ok(*condition),
        Selection::Star(_) | Selection::List(_) => Err(vec![refused("it is no condition.")]),
    }
}

fn condition(tree: &QueryTree, filter: &Json, is_reversed: bool) -> Result<String, QueryError> {
    let Some(OrderBy::Items(keys, _)) = &tree.order_by else {
        return Err(refused("the query has no ORDER BY."));
    };
    let values = filter.get("value").and_then(Json::as_array).unwrap_or_default();
    let values = values.iter().map(ResumeValue::from_json).collect::<Result<Vec<_>, _>>()?;
    if values.len() != keys.len() {
        return Err(refused(&format!(
            "it has {} values for {} keys of ORDER BY.",
            values.len(),
            keys.len()
        )));
    }
    let keys: Vec<ResumeKey<'_>> =
        keys.iter().zip(&values).map(|(key, value)| ResumeKey::new(key, value)).collect();
    // In the order of the keys: equal before, and after at this one.
    let mut branches: Vec<String> = Vec::new();
    let mut equal = String::new();
    for key in &keys {
        branches.push(format!("({equal}{})", key.after()));
        equal.push_str(&format!("{} AND ", key.equal()));
    }
    if filter.get("exclude").and_then(Json::as_bool) != Some(true) {
        branches.push(format!("({equal}{})", tie(tree, filter, is_reversed)?));
    }
    Ok(branches.join(" OR "))
}

/// The condition on rows with exactly the values of the filter. Such rows come in the order of their items, in the
/// direction in which the index is read.
fn tie(tree: &QueryTree, filter: &Json, is_reversed: bool) -> Result<String, QueryError> {
    let rid = match filter.get("rid") {
        None | Some(Json::Null) => return Ok("true".to_owned()),
        Some(rid) => rid.as_str().and_then(|rid| ResourceId::parse(rid).ok()),
    };
    let ordinal = rid.and_then(|rid| rid.ordinal());
    let ordinal = ordinal.ok_or_else(|| refused("its rid is not that of an item."))?;
    let alias = tree.from.as_ref().and_then(root_alias);
    let alias = alias.ok_or_else(|| refused("its rid needs a query that reads the container."))?;
    let operator = if is_reversed { "<=" } else { ">=" };
    Ok(format!("DOCUMENTID({alias}) {operator} {ordinal}"))
}

/// The name of the item in the expressions of a query.
fn root_alias(from: &FromClause) -> Option<&str> {
    match (&from.first.form, &from.first.path.root) {
        (SourceForm::Value(Some(alias)), _) => Some(&alias.text),
        (SourceForm::Value(None), SourceRoot::Name(name)) => Some(&name.text),
        _ => None,
    }
}

/// A value that rows are resumed after.
enum ResumeValue {
    Undefined,
    /// Null, Boolean, number or text, by the place of its type.
    Scalar(usize, String),
    /// An array or object, known by its hash.
    Hashed(usize, u128),
}

impl ResumeValue {
    fn from_json(json: &Json) -> Result<Self, QueryError> {
        let literal =
            |literal| print_scalar(&Scalar::new(ScalarKind::Literal(literal), Span::default()));
        Ok(match json {
            Json::Array(elements) if elements.is_empty() => Self::Undefined,
            Json::Array(_) => return Err(refused("an array of its values is not empty.")),
            Json::Null => Self::Scalar(0, literal(Literal::Null)),
            Json::Bool(value) => Self::Scalar(1, literal(Literal::Bool(*value))),
            // The text of a number is a literal of the language.
            Json::Number(_) => Self::Scalar(2, json.to_string()),
            Json::String(text) => Self::Scalar(3, literal(Literal::String(text.clone()))),
            Json::Object(_) => {
                let place = match json.get("type").and_then(Json::as_str) {
                    Some("array") => 4,
                    Some("object") => 5,
                    _ => return Err(refused("the type of a value is neither array nor object.")),
                };
                let half = |name: &str| json.get(name).and_then(half_hash);
                let hash = half("high").zip(half("low"));
                let hash = hash.ok_or_else(|| refused("a hash has no numbers low and high."))?;
                Self::Hashed(place, u128::from(hash.0) << 64 | u128::from(hash.1))
            }
        })
    }

    fn place(&self) -> Option<usize> {
        match self {
            Self::Undefined => None,
            Self::Scalar(place, _) | Self::Hashed(place, _) => Some(*place),
        }
    }
}

/// Half of a hash. Clients write it as a signed number.
fn half_hash(number: &Json) -> Option<u64> {
    let text = number.to_string();
    text.parse::<i64>().map(i64::cast_unsigned).or_else(|_| text.parse::<u64>()).ok()
}

/// One key of ORDER BY with the value it had.
struct ResumeKey<'tree> {
    expression: String,
    is_descending: bool,
    value: &'tree ResumeValue,
}

impl<'tree> ResumeKey<'tree> {
    fn new(key: &OrderItem, value: &'tree ResumeValue) -> Self {
        let order = key.direction.as_ref().map(|direction| direction.order);
        let is_descending = order == Some(SortOrder::Descending);
        Self { expression: print_scalar(&key.expression), is_descending, value }
    }

    /// Whether the key is the value.
    fn equal(&self) -> String {
        let key = &self.expression;
        match self.value {
            ResumeValue::Undefined => format!("(NOT IS_DEFINED({key}))"),
            ResumeValue::Scalar(0, _) => format!("IS_NULL({key})"),
            ResumeValue::Scalar(_, value) => format!("({key} = {value})"),
            ResumeValue::Hashed(..) => self.hashed("="),
        }
    }

    /// Whether the key comes after the value: greater in its type, or of a type that comes after it.
    fn after(&self) -> String {
        let key = &self.expression;
        let operator = if self.is_descending { "<" } else { ">" };
        let mut parts = Vec::new();
        match self.value {
            ResumeValue::Undefined | ResumeValue::Scalar(0, _) => {}
            ResumeValue::Scalar(_, value) => parts.push(format!("({key} {operator} {value})")),
            ResumeValue::Hashed(..) => parts.push(self.hashed(operator)),
        }
        let tests = TYPE_TESTS.iter().enumerate();
        let place = self.value.place();
        let later = tests.filter(|(at, _)| match self.is_descending {
            true => place.is_some_and(|place| *at < place),
            false => place.is_none_or(|place| *at > place),
        });
        parts.extend(later.map(|(_, test)| format!("{test}({key})")));
        if self.is_descending && place.is_some() {
            parts.push(format!("(NOT IS_DEFINED({key}))"));
        }
        // Nothing comes after undefined if values descend.
        if parts.is_empty() { "false".to_owned() } else { format!("({})", parts.join(" OR ")) }
    }

    /// Compares the hash of an array or object.
    fn hashed(&self, operator: &str) -> String {
        let key = &self.expression;
        let ResumeValue::Hashed(place, hash) = self.value else { return "false".to_owned() };
        let test = TYPE_TESTS.get(*place).copied().unwrap_or("IS_OBJECT");
        format!("({test}({key}) AND (_STRUCTURALHASH({key}) {operator} \"{hash:032x}\"))")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resumed(query: &str, filter: &str) -> Result<String, String> {
        let filter = Json::parse(filter.as_bytes()).unwrap();
        let is_reversed = query.ends_with("DESC");
        let text = resume_query(query, &filter, is_reversed);
        let text = text.map_err(|errors| errors[0].to_string())?;
        Ok(text.lines().find(|line| line.starts_with("WHERE")).unwrap_or_default().to_owned())
    }

    #[test]
    fn the_values_become_a_condition() {
        let query = "SELECT * FROM c WHERE c.p = 1 ORDER BY c.x";
        assert_eq!(
            resumed(query, r#"{"value":["b"],"exclude":true}"#).unwrap(),
            r#"WHERE ((c.p = 1) AND (((c.x > "b") OR IS_ARRAY(c.x)) OR IS_OBJECT(c.x)))"#,
        );
        assert_eq!(
            resumed("SELECT * FROM c ORDER BY c.x DESC", r#"{"value":[[]],"exclude":false}"#)
                .unwrap(),
            "WHERE (false OR ((NOT IS_DEFINED(c.x)) AND true))",
        );
    }

    #[test]
    fn a_filter_that_does_not_fit_is_refused() {
        for (query, filter) in [
            ("SELECT * FROM c", r#"{"value":[1]}"#),
            ("SELECT * FROM c ORDER BY c.x", r#"{"value":[1,2]}"#),
            ("SELECT * FROM c ORDER BY c.x", r#"{"value":[[1]]}"#),
            ("SELECT * FROM c ORDER BY c.x", r#"{"value":[{"type":"list"}]}"#),
            ("SELECT * FROM c ORDER BY c.x", r#"{"value":[1],"rid":"x"}"#),
        ] {
            let message = resumed(query, filter).unwrap_err();
            assert!(message.contains("The resumeFilter of the query is invalid"), "{message}");
        }
    }
}
