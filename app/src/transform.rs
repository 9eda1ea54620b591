//! `--transform 'path=expression'`: sets a property to an expression over the item `c`.
//!
//! Functions of time and randomness are rejected, because the same item must always be transformed the same way.

use std::sync::{Mutex, PoisonError};

use model::{ComputedProperty, Json, Object, PropertyPath, is_system_property};
use query::bind::ComputedProperties;
use query::function::UtcDateTime;
use query::{BuiltInFunctions, EvaluationContext, Parameters, QueryExecutor, bind, parse};
use service::copy::Transform;

/// One `--transform`.
#[derive(Clone, Debug)]
pub(crate) struct PropertyTransform {
    text: String,
    path: PropertyPath,
    query: String,
}

/// All transformations, in order.
pub(crate) struct PropertyTransforms {
    list: Vec<(PropertyTransform, Mutex<QueryExecutor>)>,
}

/// A property name that no item has, required by the check of computed properties.
const UNUSED_NAME: &str = "planisphereTransform";

/// Parses `path=expression`.
pub(crate) fn assignment(word: &str) -> Result<PropertyTransform, String> {
    let example =
        "write it as --transform 'tenantId=\"default\"' or --transform 'day=LEFT(c.at, 10)'";
    let Some((path, expression)) = word.split_once('=') else {
        return Err(format!("it has no '='; {example}"));
    };
    let path = property_path(path.trim())?;
    let expression = expression.trim();
    if expression.is_empty() {
        return Err(format!("the expression after '=' is missing; {example}"));
    }
    let query = format!("SELECT VALUE {expression} FROM c");
    parse(&query).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
        format!("'{expression}' is not an expression ({}); {example}", errors.join(" "))
    })?;
    // The rules of computed properties are those needed here: one item, no subquery, the same result every time.
    let checked = ComputedProperty::new(UNUSED_NAME, &query)
        .and_then(|property| ComputedProperties::new(&[property]));
    checked.map_err(|invalid| {
        let reason = invalid.message().split_once("' ").map_or("", |(_, reason)| reason);
        format!(
            "'{expression}' is not a value of one item c, or uses a function of time or randomness ({reason}); \
             {example}"
        )
    })?;
    Ok(PropertyTransform { text: word.to_owned(), path, query })
}

/// A path with slashes as in a partition key, or names separated by dots.
fn property_path(text: &str) -> Result<PropertyPath, String> {
    let path = match text.strip_prefix('/') {
        Some(_) => PropertyPath::parse(text).map_err(|invalid| invalid.message().to_owned())?,
        None => {
            let names: Vec<String> = text.split('.').map(ToOwned::to_owned).collect();
            if names.iter().any(String::is_empty) {
                return Err(format!("'{text}' is not a property; write it as a.b or /a/b"));
            }
            let path = PropertyPath::from_segments(names);
            path.ok_or_else(|| format!("'{text}' is not a property; write it as a.b or /a/b"))?
        }
    };
    match path.segments() {
        [name] if is_system_property(name) => {
            Err(format!("'{name}' is set by the account and cannot be transformed"))
        }
        _ => Ok(path),
    }
}

impl PropertyTransforms {
    pub(crate) fn new(list: &[PropertyTransform]) -> Result<Self, String> {
        let list = list.iter().map(|one| Ok((one.clone(), Mutex::new(one.stream()?))));
        Ok(Self { list: list.collect::<Result<_, String>>()? })
    }
}

impl PropertyTransform {
    fn stream(&self) -> Result<QueryExecutor, String> {
        let refused = || format!("--transform '{}' cannot be computed item by item", self.text);
        let tree = parse(&self.query).map_err(|_| refused())?;
        let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).map_err(|_| refused())?;
        // Never seen by an expression: functions of time are rejected.
        let moment = UtcDateTime::from_milliseconds(0).ok_or_else(refused)?;
        QueryExecutor::streaming(&bound, EvaluationContext::starting_at(moment)).ok_or_else(refused)
    }

    /// Computes the value for an item.
    fn value(&self, stream: &Mutex<QueryExecutor>, item: &Json) -> Result<Json, String> {
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let pushed = stream.push(item);
        // Also after a failure, so that no row is left for the next item.
        let mut rows = stream.take_rows();
        let row = pushed
            .map(|()| rows.pop())
            .map_err(|error| format!("--transform '{}': {error}", self.text))?;
        let value = row.map(|row| row.to_json()).transpose();
        let value = value.map_err(|error| format!("--transform '{}': {error}", self.text))?;
        value
            .flatten()
            .ok_or_else(|| format!("--transform '{}' is undefined for this item", self.text))
    }
}

impl Transform for PropertyTransforms {
    fn apply(&self, item: Json) -> Result<Json, String> {
        let mut item = item;
        for (assignment, stream) in &self.list {
            let value = assignment.value(stream, &item)?;
            set(&mut item, assignment.path.segments(), value).map_err(|name| {
                format!("--transform '{}': the property '{name}' is not an object", assignment.text)
            })?;
        }
        Ok(item)
    }

    fn description(&self) -> String {
        let texts: Vec<String> =
            self.list.iter().map(|(one, _)| Json::from(one.text.as_str()).to_string()).collect();
        texts.join(",")
    }
}

/// Sets a property and creates missing objects around it. Fails with the name of a property that is not an object.
pub(crate) fn set(item: &mut Json, path: &[String], value: Json) -> Result<(), String> {
    let Some((name, rest)) = path.split_first() else {
        *item = value;
        return Ok(());
    };
    let Json::Object(object) = item else { return Err(name.clone()) };
    if rest.is_empty() {
        object.insert(name.as_str(), value);
        return Ok(());
    }
    if object.get(name).is_none() {
        object.insert(name.as_str(), Object::new());
    }
    match object.get_mut(name) {
        Some(inner @ Json::Object(_)) => set(inner, rest, value),
        _ => Err(name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], item: &str, expected: Result<&str, &str>) {
        let list: Vec<PropertyTransform> =
            words.iter().map(|word| assignment(word).unwrap()).collect();
        let item = Json::parse(item.as_bytes()).unwrap();
        let output =
            PropertyTransforms::new(&list).unwrap().apply(item).map(|item| item.to_string());
        assert_eq!(output.as_deref().map_err(String::as_str), expected, "{words:?}");
    }

    #[test]
    fn a_property_is_set_or_computed() {
        check(
            &[r#"tenantId="default""#],
            r#"{"id":"1"}"#,
            Ok(r#"{"id":"1","tenantId":"default"}"#),
        );
        check(
            &["day=LEFT(c.at, 4)"],
            r#"{"at":"2026-01-02"}"#,
            Ok(r#"{"at":"2026-01-02","day":"2026"}"#),
        );
        check(&["n=c.n ?? 0"], r#"{"id":"1"}"#, Ok(r#"{"id":"1","n":0}"#));
        check(&["a=c.b = c.d"], r#"{"b":1,"d":1}"#, Ok(r#"{"b":1,"d":1,"a":true}"#));
    }

    #[test]
    fn a_later_one_sees_the_earlier_ones() {
        check(&["a=1", "b=c.a + 1"], "{}", Ok(r#"{"a":1,"b":2}"#));
    }

    #[test]
    fn a_property_may_lie_deeper() {
        check(&["key.region=\"eu\""], r#"{"id":"1"}"#, Ok(r#"{"id":"1","key":{"region":"eu"}}"#));
        check(&["/a/b=1"], r#"{"a":{"c":2}}"#, Ok(r#"{"a":{"c":2,"b":1}}"#));
        check(
            &["a.b=1"],
            r#"{"a":7}"#,
            Err("--transform 'a.b=1': the property 'a' is not an object"),
        );
    }

    #[test]
    fn what_is_undefined_is_refused() {
        check(&["a=c.missing"], "{}", Err("--transform 'a=c.missing' is undefined for this item"));
        check(&["a=1 + \"x\""], "{}", Err("--transform 'a=1 + \"x\"' is undefined for this item"));
    }

    #[test]
    fn words_that_make_no_sense_are_refused_when_they_are_read() {
        for (word, reason) in [
            ("tenantId", "no '='"),
            ("=1", "is not a property"),
            ("a=", "expression after '=' is missing"),
            ("a=(", "is not an expression"),
            ("a=d.x", "not a value of one item"),
            ("a=1 FROM c WHERE c.x = 1 --", "expression"),
            ("a=GetCurrentTimestamp()", "time or randomness"),
            ("a=NOSUCH(c.x)", "not a value of one item"),
            ("_ts=1", "set by the account"),
        ] {
            let output = assignment(word).map(|one| one.text).unwrap_err();
            assert!(output.contains(reason), "{word}: {output}");
        }
    }
}
