//! The rules of a property: `min:1,max:20`, `enum:a,b,c`, `minLength:1`, `maxLength:9`, `pattern:^a`.
//!
//! Owns the grammar (WB-X11): rules are separated by commas; `enum` and `pattern` take the rest of the text, so each of
//! them must be the last.

use regex_automata::hybrid::regex::Regex;
use serde_json::Value;

/// One rule.
#[derive(Debug)]
pub(crate) enum PropertyRule {
    Min(f64),
    Max(f64),
    MinLength(usize),
    MaxLength(usize),
    OneOf(Vec<String>),
    Pattern(Box<Regex>, String),
}

impl PropertyRule {
    /// Parses a list of rules.
    ///
    /// # Errors
    /// A sentence that names the rule that is wrong.
    pub(crate) fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        let mut rules = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, after) =
                rest.split_once(':').ok_or_else(|| format!("the rule '{rest}' has no value"))?;
            let takes_rest = matches!(name.trim(), "enum" | "pattern");
            let (value, next) = match after.split_once(',') {
                Some((value, next)) if !takes_rest => (value, next),
                _ => (after, ""),
            };
            rules.push(Self::parse(name.trim(), value)?);
            rest = next.trim_start();
        }
        Ok(rules)
    }

    fn parse(name: &str, value: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("the rule '{name}:{value}' needs {what}");
        let number = || value.trim().parse::<f64>().map_err(|_| wrong("a number"));
        let length = || value.trim().parse::<usize>().map_err(|_| wrong("a whole number"));
        match name {
            "min" => Ok(Self::Min(number()?)),
            "max" => Ok(Self::Max(number()?)),
            "minLength" => Ok(Self::MinLength(length()?)),
            "maxLength" => Ok(Self::MaxLength(length()?)),
            "enum" => Ok(Self::OneOf(value.split(',').map(|one| one.trim().to_owned()).collect())),
            "pattern" => {
                let regex = Regex::new(value).map_err(|_| wrong("a regular expression"))?;
                Ok(Self::Pattern(Box::new(regex), value.to_owned()))
            }
            _ => Err(format!(
                "'{name}' is no rule; known are min, max, minLength, maxLength, enum and pattern"
            )),
        }
    }

    /// What is wrong with a value; none if the rule holds, or is not about values of its type.
    pub(crate) fn violation(&self, value: &Value) -> Option<String> {
        let length = match value {
            Value::String(text) => Some(text.chars().count()),
            Value::Array(elements) => Some(elements.len()),
            _ => None,
        };
        match self {
            Self::Min(least) => {
                let wrong = value.as_f64().is_some_and(|number| number < *least);
                wrong.then(|| format!("must be at least {least}"))
            }
            Self::Max(most) => {
                let wrong = value.as_f64().is_some_and(|number| number > *most);
                wrong.then(|| format!("must be at most {most}"))
            }
            Self::MinLength(least) => {
                length.is_some_and(|one| one < *least).then(|| format!("is shorter than {least}"))
            }
            Self::MaxLength(most) => {
                length.is_some_and(|one| one > *most).then(|| format!("is longer than {most}"))
            }
            Self::OneOf(allowed) => {
                let is_allowed =
                    value.as_str().is_none_or(|text| allowed.iter().any(|one| one == text));
                (!is_allowed).then(|| format!("must be one of {}", allowed.join(", ")))
            }
            Self::Pattern(regex, pattern) => {
                let text = value.as_str()?;
                let is_match = regex.is_match(&mut regex.create_cache(), text);
                (!is_match).then(|| format!("must match {pattern}"))
            }
        }
    }

    /// The keyword of JSON Schema that says the same.
    pub(crate) fn json_schema(&self) -> (&'static str, Value) {
        match self {
            Self::Min(least) => ("minimum", (*least).into()),
            Self::Max(most) => ("maximum", (*most).into()),
            Self::MinLength(least) => ("minLength", (*least).into()),
            Self::MaxLength(most) => ("maxLength", (*most).into()),
            Self::OneOf(allowed) => ("enum", allowed.clone().into()),
            Self::Pattern(_, pattern) => ("pattern", pattern.clone().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::PropertyRule;

    fn violations(rules: &str, value: &serde_json::Value) -> Vec<String> {
        let rules = PropertyRule::parse_list(rules).unwrap();
        rules.iter().filter_map(|rule| rule.violation(value)).collect()
    }

    #[test]
    fn rules_are_separated_by_commas_and_the_last_takes_the_rest() {
        assert_eq!(violations("min:1,max:20", &json!(20)), Vec::<String>::new());
        assert_eq!(violations("min:1,max:20", &json!(21)), ["must be at most 20"]);
        let both = "minLength:4,enum:Good,Neutral,Evil";
        assert_eq!(
            violations(both, &json!("Bad")),
            ["is shorter than 4", "must be one of Good, Neutral, Evil"]
        );
        assert_eq!(violations("pattern:^a{1,2}$", &json!("aa")), Vec::<String>::new());
        assert_eq!(violations("pattern:^a{1,2}$", &json!("aaa")), ["must match ^a{1,2}$"]);
    }

    #[test]
    fn a_wrong_rule_is_named() {
        for (wrong, part) in [
            ("least:1", "'least'"),
            ("min", "no value"),
            ("min:a", "a number"),
            ("pattern:(", "regular expression"),
        ] {
            let why = PropertyRule::parse_list(wrong).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
    }
}
