//! Parses parameters and partition keys on the command line.
//!
//! Values are JSON. A value that is not is rejected with an example of how to quote it, because shells remove the
//! quotes that JSON needs.

use model::{FeedRange, Json, PartitionKey};
use query::Parameters;

use crate::error::CommandError;

/// A `--param`: its name including the `@`, and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    name: String,
    value: Json,
}

/// Parses `name=json`; the `@` of the name is optional.
pub(super) fn parameter(word: &str) -> Result<Parameter, String> {
    let (name, value) = word
        .split_once('=')
        .ok_or_else(|| format!("it has no '='; write --param 'name=\"{word}\"'"))?;
    let name = name.strip_prefix('@').unwrap_or(name);
    if name.is_empty() {
        return Err("the name before '=' is empty; write --param 'name=1'".to_owned());
    }
    let value = json(value, &format!("--param '{name}=\"{value}\"'"))?;
    Ok(Parameter { name: format!("@{name}"), value })
}

/// Parses one component of a partition key, or an array of all of them.
pub(super) fn partition_key_part(word: &str) -> Result<Json, String> {
    json(word, &format!("--partition-key '\"{word}\"'"))
}

impl Parameter {
    /// The name with its `@`, and the value.
    #[cfg(feature = "connect")]
    pub(super) fn parts(&self) -> (&str, &Json) {
        (&self.name, &self.value)
    }
}

pub(super) fn parameters(list: &[Parameter]) -> Parameters {
    list.iter().map(|one| (one.name.clone(), Some(one.value.clone()))).collect()
}

/// The feed range of a partition key; the whole container without components.
pub(super) fn feed_range(parts: &[Json]) -> Result<FeedRange, CommandError> {
    let components = match parts {
        [] => return Ok(FeedRange::Container),
        [Json::Array(components)] if components.is_empty() => {
            return Err(CommandError::new("reading --partition-key", "it has no component")
                .hint("omit it to read all logical partitions"));
        }
        [whole @ Json::Array(_)] => whole.clone(),
        parts => Json::Array(parts.to_vec()),
    };
    PartitionKey::from_json(&components).map(FeedRange::PartitionKey).map_err(|invalid| {
        CommandError::new("reading --partition-key", invalid.message().trim_end_matches('.'))
            .hint("give each component as JSON, for example --partition-key '\"t1\"'")
    })
}

fn json(text: &str, quoted: &str) -> Result<Json, String> {
    let parsed = Json::parse(text.as_bytes());
    parsed.map_err(|error| format!("the value is not JSON ({error}); write text as {quoted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_key(words: &[&str], expected: &str) {
        let parts: Vec<Json> = words.iter().map(|word| partition_key_part(word).unwrap()).collect();
        let output = match feed_range(&parts) {
            Ok(FeedRange::PartitionKey(key)) => key.to_string(),
            Ok(FeedRange::Container) => "all".to_owned(),
            Ok(other) => format!("{other:?}"),
            Err(failure) => failure.to_string(),
        };
        assert_eq!(output, expected);
    }

    #[test]
    fn a_parameter_is_a_name_and_json() {
        let expected = Parameter { name: "@a".to_owned(), value: Json::from("x=y") };
        assert_eq!(parameter(r#"a="x=y""#), Ok(expected.clone()));
        assert_eq!(parameter(r#"@a="x=y""#), Ok(expected));
    }

    #[test]
    fn a_parameter_that_is_none_says_how_to_write_it() {
        assert!(parameter("a").unwrap_err().contains("no '='"));
        assert!(parameter("=1").unwrap_err().contains("empty"));
        assert!(parameter("a=open").unwrap_err().ends_with(r#"write text as --param 'a="open"'"#));
    }

    #[test]
    fn components_are_given_one_by_one_or_as_an_array() {
        check_key(&[], "all");
        check_key(&[r#""a""#], r#"["a"]"#);
        check_key(&[r#""a""#, "7"], r#"["a",7]"#);
        check_key(&[r#"["a",7]"#], r#"["a",7]"#);
        check_key(
            &["[]"],
            "planisphere: reading --partition-key: it has no component. Omit it to read all logical partitions.",
        );
        assert!(partition_key_part("a").unwrap_err().ends_with(r#"--partition-key '"a"'"#));
    }

    #[test]
    fn a_component_is_a_scalar() {
        let parts = [partition_key_part("1").unwrap(), partition_key_part("[2]").unwrap()];
        let output = feed_range(&parts).unwrap_err().to_string();
        assert!(output.contains("[2]") && output.contains("--partition-key"), "{output}");
    }
}
