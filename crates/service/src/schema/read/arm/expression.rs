//! Expressions in templates: `[concat(parameters('account'), '/', 'shop')]`.
//!
//! Owns the few functions that are used in names. A value that is unknown here (another function, a parameter without a
//! value) is represented by a marker inside the text instead of an error: an account name may be unknown, because no
//! part of a schema depends on it. Only a use of the value reports the reason.

use std::cell::RefCell;

use model::{Json, Object};

/// The parameters and variables that expressions refer to.
#[derive(Debug, Default)]
pub(super) struct TemplateScope {
    pub(super) parameters: Object,
    pub(super) variables: Object,
    // A cell, because evaluation goes through shared references and only adds to it.
    reasons: RefCell<Vec<String>>,
    depth: RefCell<usize>,
}

/// Enclose the index of the reason, as the marker of an unknown part of a text. Private-use characters do not occur in
/// names.
const UNKNOWN_START: char = '\u{E000}';
const UNKNOWN_END: char = '\u{E001}';
/// Variables may refer to variables. A deeper nesting is taken for a cycle.
const DEPTH_MAX: usize = 32;

type EvaluationResult = Result<Json, String>;

impl TemplateScope {
    pub(super) fn new(parameters: Object, variables: Object) -> Self {
        Self { parameters, variables, ..Self::default() }
    }

    /// Evaluates all expressions in a value.
    pub(super) fn evaluate(&self, json: &Json) -> EvaluationResult {
        match json {
            Json::String(text) => self.text(text),
            Json::Array(values) => values
                .iter()
                .map(|value| self.evaluate(value))
                .collect::<Result<_, _>>()
                .map(Json::Array),
            Json::Object(members) => {
                let mut object = Object::new();
                for (name, value) in members.iter() {
                    object.insert(name, self.evaluate(value)?);
                }
                Ok(Json::Object(object))
            }
            other => Ok(other.clone()),
        }
    }

    fn text(&self, text: &str) -> EvaluationResult {
        if text.starts_with("[[") {
            return Ok(Json::from(text.get(1..).unwrap_or_default()));
        }
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let Some(inner) = inner else { return Ok(Json::from(text)) };
        if *self.depth.borrow() > DEPTH_MAX {
            return Err(format!("the expression {text} goes in circles"));
        }
        *self.depth.borrow_mut() += 1;
        let mut parser = ExpressionParser { scope: self, rest: inner };
        let value = parser.whole();
        // Before the error is returned: other values are evaluated after it.
        *self.depth.borrow_mut() -= 1;
        value.map_err(|why| format!("the expression {text}: {why}"))
    }

    /// Why a part of a value is unknown; `None` if all of it is known.
    pub(super) fn unknown_reason(&self, json: &Json) -> Option<String> {
        match json {
            Json::String(text) => {
                let (_, rest) = text.split_once(UNKNOWN_START)?;
                let (number, _) = rest.split_once(UNKNOWN_END)?;
                self.reasons.borrow().get(number.parse::<usize>().ok()?).cloned()
            }
            Json::Array(values) => values.iter().find_map(|value| self.unknown_reason(value)),
            Json::Object(members) => {
                members.iter().find_map(|(_, value)| self.unknown_reason(value))
            }
            _ => None,
        }
    }

    fn mark_unknown(&self, why: String) -> Json {
        let mut reasons = self.reasons.borrow_mut();
        reasons.push(why);
        Json::from(format!("{UNKNOWN_START}{}{UNKNOWN_END}", reasons.len() - 1))
    }

    fn call(&self, name: &str, arguments: &[Json]) -> EvaluationResult {
        let text = |place: usize| {
            let given = arguments.get(place).and_then(Json::as_str);
            given.ok_or_else(|| format!("{name}() takes a text"))
        };
        match name.to_ascii_lowercase().as_str() {
            "parameters" => match self.parameters.get(text(0)?) {
                Some(value) => self.evaluate(value),
                None => Ok(self.mark_unknown(format!(
                    "the parameter '{}' has no value; give it in the file of --parameters",
                    text(0)?
                ))),
            },
            "variables" => match self.variables.get(text(0)?) {
                Some(value) => self.evaluate(value),
                // An error, unlike a parameter: a variable can only be defined in the template itself.
                None => Err(format!("there is no variable '{}'", text(0)?)),
            },
            "concat" if arguments.iter().all(|one| matches!(one, Json::Array(_))) => {
                let all = arguments.iter().filter_map(Json::as_array).flatten().cloned();
                Ok(Json::Array(all.collect()))
            }
            "concat" => Ok(Json::from(arguments.iter().map(plain).collect::<String>())),
            "format" => format_text(text(0)?, arguments.get(1..).unwrap_or_default()),
            "tolower" => Ok(Json::from(text(0)?.to_lowercase())),
            "toupper" => Ok(Json::from(text(0)?.to_uppercase())),
            _ => Ok(self.mark_unknown(format!("the function '{name}' is not known here"))),
        }
    }
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Replaces `{0}` and so on in a text.
fn format_text(pattern: &str, values: &[Json]) -> EvaluationResult {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (number, after) = after.split_once('}').ok_or("format() has a '{' without its '}'")?;
        let value = number.parse::<usize>().ok().and_then(|place| values.get(place));
        let value = value.ok_or_else(|| format!("format() has no value for {{{number}}}"))?;
        text.push_str(&plain(value));
        rest = after;
    }
    text.push_str(rest);
    Ok(Json::from(text))
}

struct ExpressionParser<'s> {
    scope: &'s TemplateScope,
    rest: &'s str,
}

impl ExpressionParser<'_> {
    fn whole(&mut self) -> EvaluationResult {
        let value = self.expression()?;
        match self.rest.trim() {
            "" => Ok(value),
            rest => Err(format!("'{rest}' is left over")),
        }
    }

    fn expression(&mut self) -> EvaluationResult {
        let mut value = self.primary()?;
        loop {
            value = if self.take(".") {
                let name = self.word();
                self.member(&value, &Json::from(name))?
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                self.member(&value, &index)?
            } else {
                return Ok(value);
            };
        }
    }

    fn member(&self, value: &Json, name: &Json) -> EvaluationResult {
        // A member of something unknown is unknown for the same reason.
        if self.scope.unknown_reason(value).is_some() {
            return Ok(value.clone());
        }
        let found = match (value, name.as_i64(), name.as_str()) {
            (Json::Array(values), Some(index), _) => {
                usize::try_from(index).ok().and_then(|index| values.get(index))
            }
            (_, _, Some(name)) => value.get(name),
            _ => None,
        };
        found.cloned().ok_or_else(|| format!("there is no member {name}"))
    }

    fn primary(&mut self) -> EvaluationResult {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('\'') => self.quoted(),
            Some(letter) if letter.is_ascii_digit() || letter == '-' => {
                let is_number = |letter: char| letter.is_ascii_digit() || letter == '-';
                let end = self.rest.find(|letter| !is_number(letter)).unwrap_or(self.rest.len());
                let (digits, rest) = self.rest.split_at(end);
                self.rest = rest;
                digits
                    .parse::<i64>()
                    .map(Json::from)
                    .map_err(|_| format!("'{digits}' is no number"))
            }
            Some(letter) if letter.is_ascii_alphabetic() => self.call(),
            _ => Err(format!("'{}' cannot be read", self.rest)),
        }
    }

    fn call(&mut self) -> EvaluationResult {
        let name = self.word();
        match name.as_str() {
            "true" => return Ok(Json::from(true)),
            "false" => return Ok(Json::from(false)),
            _ => {}
        }
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expression()?);
        }
        self.scope.call(&name, &arguments)
    }

    /// A quoted text; two quotes inside mean one.
    fn quoted(&mut self) -> EvaluationResult {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1).peekable();
        while let Some((place, letter)) = letters.next() {
            if letter != '\'' {
                text.push(letter);
            } else if letters.next_if(|(_, next)| *next == '\'').is_some() {
                text.push('\'');
            } else {
                self.rest = self.rest.get(place + 1..).unwrap_or_default();
                return Ok(Json::from(text));
            }
        }
        Err("a text has no closing quote".to_owned())
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_word(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(format!("'{sign}' is missing before '{}'", self.rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: &str) {
        let parse = |text: &str| match Json::parse(text.as_bytes()).unwrap() {
            Json::Object(object) => object,
            other => panic!("{other} is no object"),
        };
        let scope = TemplateScope::new(
            parse(r#"{"a":"A","list":["x","y"],"o":{"p":7}}"#),
            parse(r#"{"v":"[concat(parameters('a'),'-v')]","loop":"[variables('loop')]"}"#),
        );
        let result = match scope.evaluate(&Json::from(expression)) {
            Ok(value) => scope.unknown_reason(&value).unwrap_or_else(|| value.to_string()),
            Err(why) => why,
        };
        assert_eq!(result, expected, "{expression}");
    }

    #[test]
    fn names_are_made_of_parameters_variables_and_texts() {
        check("plain", r#""plain""#);
        check("[[plain]", r#""[plain]""#);
        check("[parameters('a')]", r#""A""#);
        check("[concat(variables('v'), '/', 'it''s', 3)]", r#""A-v/it's3""#);
        check("[format('{1}/{0}', parameters('list')[1], toLower(parameters('a')))]", r#""a/y""#);
        check("[parameters('o').p]", "7");
        check("[concat(parameters('list'), parameters('list'))]", r#"["x","y","x","y"]"#);
    }

    #[test]
    fn what_cannot_be_known_says_why() {
        check(
            "[parameters('b')]",
            "the parameter 'b' has no value; give it in the file of --parameters",
        );
        check(
            "[concat('x', uniqueString(resourceGroup().id))]",
            "the function 'uniqueString' is not known here",
        );
        check("[variables('w')]", "the expression [variables('w')]: there is no variable 'w'");
        check("[concat('a']", "the expression [concat('a']: ',' is missing before ''");
        check(
            "[format('{2}', 'a')]",
            "the expression [format('{2}', 'a')]: format() has no value for {2}",
        );
    }

    #[test]
    fn circles_are_refused() {
        let scope = TemplateScope::new(Object::new(), {
            let mut variables = Object::new();
            variables.insert("loop", "[variables('loop')]");
            variables
        });
        let refused = scope.evaluate(&Json::from("[variables('loop')]")).unwrap_err();
        assert!(refused.contains("goes in circles"), "{refused}");
    }
}
