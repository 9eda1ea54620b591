//! Expressions in templates: `[concat(parameters('account'), '/', 'shop')]`.
//!
//! Owns parameters, variables, conditions and loops. A value that is unknown here (another function, a parameter
//! without a value) is represented by a marker inside the text instead of an error: an account name may be unknown,
//! because no part of a schema depends on it. Only a use of the value reports the reason.

use std::cell::RefCell;

use model::{Json, Object};

use super::function;
use super::syntax::{self, TemplateExpression};

/// The parameters and variables that expressions refer to.
#[derive(Debug, Default)]
pub(super) struct TemplateScope {
    pub(super) parameters: Object,
    pub(super) variables: Object,
    // Cells, because evaluation goes through shared references.
    reasons: RefCell<Vec<String>>,
    depth: RefCell<usize>,
    /// The loops around the value that is evaluated, by name and index, innermost last.
    loops: RefCell<Vec<(String, i64)>>,
}

/// Enclose the index of the reason, as the marker of an unknown part of a text. Private-use characters do not occur in
/// names.
const UNKNOWN_START: char = '\u{E000}';
const UNKNOWN_END: char = '\u{E001}';
/// Variables may refer to variables. A deeper nesting is taken for a cycle.
const DEPTH_MAX: usize = 32;
/// Azure refuses longer loops.
const COPIES_MAX: i64 = 800;

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
            Json::Object(members) => self.object(members),
            other => Ok(other.clone()),
        }
    }

    /// The members of an object. `copy` with a list of loops is no member: each loop makes a list.
    fn object(&self, members: &Object) -> EvaluationResult {
        let mut object = Object::new();
        for (name, value) in members.iter() {
            match (name, value) {
                ("copy", Json::Array(loops)) if loops.iter().all(is_loop) => {
                    for each in loops {
                        let name = each.get("name").and_then(Json::as_str).unwrap_or_default();
                        object.insert(name, self.list(each)?);
                    }
                }
                _ => {
                    object.insert(name, self.evaluate(value)?);
                }
            }
        }
        Ok(Json::Object(object))
    }

    /// The list that a loop over `input` makes.
    pub(super) fn list(&self, each: &Json) -> EvaluationResult {
        let name = each.get("name").and_then(Json::as_str).unwrap_or_default();
        let input = each.get("input").unwrap_or(&Json::Null);
        let count = self.count(each)?;
        let values = (0..count).map(|index| self.within(name, index, || self.evaluate(input)));
        values.collect::<Result<_, _>>().map(Json::Array)
    }

    /// How often a loop runs.
    pub(super) fn count(&self, each: &Json) -> Result<i64, String> {
        let count = self.evaluate(each.get("count").unwrap_or(&Json::Null))?;
        if let Some(why) = self.unknown_reason(&count) {
            return Err(why);
        }
        let number = count.as_i64().filter(|number| (0..=COPIES_MAX).contains(number));
        number.ok_or_else(|| format!("the count of a loop is 0 to {COPIES_MAX}, not {count}"))
    }

    /// Evaluates something in one round of a loop.
    pub(super) fn within<T>(&self, name: &str, index: i64, evaluate: impl FnOnce() -> T) -> T {
        self.loops.borrow_mut().push((name.to_owned(), index));
        let value = evaluate();
        self.loops.borrow_mut().pop();
        value
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
        let value = syntax::parse(inner).and_then(|expression| self.value(&expression));
        // Before the error is returned: other values are evaluated after it.
        *self.depth.borrow_mut() -= 1;
        value.map_err(|why| format!("the expression {text}: {why}"))
    }

    fn value(&self, expression: &TemplateExpression) -> EvaluationResult {
        match expression {
            TemplateExpression::Literal(value) => Ok(value.clone()),
            TemplateExpression::Member { of, name } => {
                let value = self.value(of)?;
                // A member of something unknown is unknown for the same reason.
                if let Some(why) = self.whole_unknown(&value) {
                    return Ok(self.mark_unknown(why));
                }
                member(&value, &self.value(name)?)
            }
            TemplateExpression::Call { name, arguments } => self.call(name, arguments),
        }
    }

    /// Why a value is unknown as a whole; a list or object with an unknown part is not.
    fn whole_unknown(&self, value: &Json) -> Option<String> {
        value.as_str().and_then(|_| self.unknown_reason(value))
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

    fn call(&self, name: &str, arguments: &[TemplateExpression]) -> EvaluationResult {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "if" => return self.choose(arguments),
            "and" | "or" => return self.connect(&lower, arguments),
            "coalesce" => {
                for argument in arguments {
                    let value = self.value(argument)?;
                    if value != Json::Null {
                        return Ok(value);
                    }
                }
                return Ok(Json::Null);
            }
            _ => {}
        }
        let values: Vec<Json> =
            arguments.iter().map(|argument| self.value(argument)).collect::<Result<_, _>>()?;
        match lower.as_str() {
            "parameters" => match self.parameters.get(function::text_at(name, &values, 0)?) {
                Some(value) => self.evaluate(value),
                None => Ok(self.mark_unknown(format!(
                    "the parameter '{}' has no value; give it in the file of --parameters",
                    function::text_at(name, &values, 0)?
                ))),
            },
            "variables" => match self.variables.get(function::text_at(name, &values, 0)?) {
                Some(value) => self.evaluate(value),
                // An error, unlike a parameter: a variable can only be defined in the template itself.
                None => {
                    let name = function::text_at(name, &values, 0)?;
                    Err(format!("there is no variable '{name}'"))
                }
            },
            "copyindex" => self.copy_index(&values),
            _ => {
                let unknown = values.iter().find_map(|value| self.unknown_reason(value));
                match (unknown, function::call(&lower, &values)) {
                    (_, None) => {
                        Ok(self.mark_unknown(format!("the function '{name}' is not known here")))
                    }
                    (Some(why), Some(_)) if !function::keeps_unknown_parts(&lower) => {
                        Ok(self.mark_unknown(why))
                    }
                    (_, Some(value)) => value,
                }
            }
        }
    }

    /// `if(condition, then, else)`; only one branch is evaluated.
    fn choose(&self, arguments: &[TemplateExpression]) -> EvaluationResult {
        let [condition, then, other] = arguments else {
            return Err("if() takes a condition and two values".to_owned());
        };
        let condition = self.value(condition)?;
        if let Some(why) = self.unknown_reason(&condition) {
            return Ok(self.mark_unknown(why));
        }
        match condition.as_bool() {
            Some(true) => self.value(then),
            Some(false) => self.value(other),
            None => Err(format!("the condition of if() is true or false, not {condition}")),
        }
    }

    /// `and` and `or`, which stop at the first value that decides.
    fn connect(&self, name: &str, arguments: &[TemplateExpression]) -> EvaluationResult {
        let deciding = name == "or";
        for argument in arguments {
            let value = self.value(argument)?;
            if let Some(why) = self.unknown_reason(&value) {
                return Ok(self.mark_unknown(why));
            }
            if function::boolean(name, &[value], 0)? == deciding {
                return Ok(Json::from(deciding));
            }
        }
        Ok(Json::from(!deciding))
    }

    /// `copyIndex()`, `copyIndex(offset)`, `copyIndex('name')`, `copyIndex('name', offset)`.
    fn copy_index(&self, values: &[Json]) -> EvaluationResult {
        let loops = self.loops.borrow();
        let named = values.first().and_then(Json::as_str);
        let found = match named {
            Some(name) => loops.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name)),
            None => loops.last(),
        };
        let (_, index) = found.ok_or("copyIndex() is used outside of its loop")?;
        let offset = values.get(usize::from(named.is_some())).and_then(Json::as_i64);
        Ok(Json::from(index.saturating_add(offset.unwrap_or_default())))
    }
}

fn is_loop(json: &Json) -> bool {
    json.get("name").is_some() && json.get("count").is_some() && json.get("input").is_some()
}

fn member(value: &Json, name: &Json) -> EvaluationResult {
    let found = match (value, name.as_i64(), name.as_str()) {
        (Json::Array(values), Some(index), _) => {
            usize::try_from(index).ok().and_then(|index| values.get(index))
        }
        (_, _, Some(name)) => value.get(name),
        _ => None,
    };
    found.cloned().ok_or_else(|| format!("there is no member {name}"))
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
    fn conditions_choose_and_the_other_branch_is_left_alone() {
        check("[if(equals(parameters('a'), 'A'), 1000, parameters('list')[9])]", "1000");
        check(
            "[if(empty(parameters('list')), variables('none'), length(parameters('list')))]",
            "2",
        );
        check("[if(or(false(), and(true(), not(false()))), 'x', 'y')]", r#""x""#);
        check(
            "[if(true(), createObject('autoscaleSettings', createObject('maxThroughput', 4000)), null())]",
            r#"{"autoscaleSettings":{"maxThroughput":4000}}"#,
        );
        check(
            "[if(equals(resourceGroup().name, 'x'), 1, 2)]",
            "the function 'resourceGroup' is not known here",
        );
    }

    #[test]
    fn lists_are_computed() {
        check("[union(createArray('a', 'b'), createArray('b', 'c'))]", r#"["a","b","c"]"#);
        check("[items(parameters('o'))[0].key]", r#""p""#);
        check("[add(mul(2, 3), int('4'))]", "10");
        check("[join(split('a,b', ','), '-')]", r#""a-b""#);
        check("[last(parameters('list'))]", r#""y""#);
        check("[contains(parameters('o'), 'P')]", "true");
    }

    #[test]
    fn loops_make_lists() {
        let scope = TemplateScope::new(Object::new(), Object::new());
        let json = Json::parse(
            br#"{"copy":[{"name":"paths","count":"[length(createArray(1,2))]",
                "input":{"path":"[format('/p{0}', copyIndex('paths', 1))]"}}],"kept":true}"#,
        );
        let value = scope.evaluate(&json.unwrap()).unwrap();
        assert_eq!(value.to_string(), r#"{"paths":[{"path":"/p1"},{"path":"/p2"}],"kept":true}"#);
        let outside = scope.evaluate(&Json::from("[copyIndex()]")).unwrap_err();
        assert!(outside.contains("outside of its loop"), "{outside}");
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
