//! Texts that the stored text of an item contains if the item passes a filter.
//!
//! A filter such as `c.remark = "x"` is true only for items whose text has `"x"` in it. Searching for these bytes costs
//! a small part of parsing the properties that a filter names, and nearly all items of a scan with a selective filter
//! end there. Owns deriving such texts from the conjuncts of a filter, and the search. Does not own the filter: an item
//! that has the text may still be rejected.

use memchr::memchr;
use memchr::memmem::Finder;
use model::Json;

use crate::ast::{BinaryOperator, Literal, Negation};
use crate::bind::Expression;

/// Shorter texts, quotes included, are in most items: the search would cost more than it saves.
const TEXT_BYTES_MIN: usize = 3;
/// More texts than this are not searched: each is a pass over the item.
const TEXTS_MAX: usize = 8;

/// A passing item contains at least one of these texts.
#[derive(Debug)]
pub(super) struct RequiredText {
    finders: Vec<Finder<'static>>,
}

impl RequiredText {
    /// The texts of the conjunct that promises to reject most; `None` if no conjunct requires a text. `slot` is that of
    /// the item.
    pub(super) fn of_conjuncts(conjuncts: &[Expression], slot: usize) -> Option<Self> {
        let required = conjuncts.iter().filter_map(|conjunct| texts(conjunct, slot));
        let shortest = |texts: &Vec<String>| texts.iter().map(String::len).min();
        let is_useful = |texts: &Vec<String>| {
            texts.len() <= TEXTS_MAX && shortest(texts) >= Some(TEXT_BYTES_MIN)
        };
        // A long text is rarer than a short one.
        let best = required.filter(is_useful).max_by_key(shortest)?;
        let finders = best.iter().map(|text| Finder::new(text).into_owned());
        Some(Self { finders: finders.collect() })
    }

    /// Whether an item with this text may pass. False is certain.
    pub(super) fn may_pass(&self, item: &[u8]) -> bool {
        self.finders.iter().any(|finder| finder.find(item).is_some())
            // An escape may stand for any character of the text.
            || memchr(b'\\', item).is_some()
    }
}

/// The texts of which an item must contain one for the expression to be true; `None` if that is unknown.
fn texts(expression: &Expression, slot: usize) -> Option<Vec<String>> {
    match expression {
        Expression::Chain { first, rest } => match rest.as_slice() {
            [(BinaryOperator::Equal, right)] => {
                let sides = [(first.as_ref(), right), (right, first.as_ref())];
                let value = sides.iter().find(|(path, _)| is_path(path, slot));
                value.and_then(|(_, value)| whole(value)).map(|text| vec![text])
            }
            // Any of them may be the one that is true, so all of them must require a text.
            all if all.iter().all(|(operator, _)| *operator == BinaryOperator::Or) => {
                let operands = [first.as_ref()].into_iter().chain(all.iter().map(|(_, part)| part));
                let required: Option<Vec<Vec<String>>> =
                    operands.map(|operand| texts(operand, slot)).collect();
                required.map(|required| required.concat())
            }
            _ => None,
        },
        Expression::In { negation: Negation::Plain, value, list } if is_path(value, slot) => {
            list.iter().map(whole).collect()
        }
        Expression::Call { function, arguments } => match (*function, arguments.as_slice()) {
            // Without the flag that ignores case, or lets an element match in part.
            ("ARRAY_CONTAINS" | "STRINGEQUALS", [path, value]) if is_path(path, slot) => {
                whole(value).map(|text| vec![text])
            }
            ("CONTAINS" | "STARTSWITH" | "ENDSWITH", [path, value]) if is_path(path, slot) => {
                string(value).map(|text| vec![text.to_owned()])
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression is a property of the item, or below one.
fn is_path(expression: &Expression, slot: usize) -> bool {
    matches!(expression, Expression::Member { target, .. } if **target == Expression::Input(slot))
}

/// A string as an item contains it, with its quotes.
fn whole(expression: &Expression) -> Option<String> {
    string(expression).map(|text| format!("\"{text}\""))
}

/// A constant string without characters that are escaped in JSON.
fn string(expression: &Expression) -> Option<&str> {
    let text = match expression {
        Expression::Literal(Literal::String(text)) => text,
        Expression::Parameter(Json::String(text)) => text,
        _ => return None,
    };
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
    (!text.bytes().any(is_escaped)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::{BuiltInFunctions, Parameters};
    use crate::evaluate::conjuncts;

    fn required(filter: &str) -> Option<RequiredText> {
        let tree = crate::parse(&format!("SELECT * FROM c WHERE {filter}")).unwrap();
        let bound = crate::bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
        RequiredText::of_conjuncts(&conjuncts(bound.filter.as_ref().unwrap()), 0)
    }

    /// Which of these items a filter may accept, judged by their text.
    fn check(filter: &str, passing: &[usize]) {
        const ITEMS: [&str; 6] = [
            r#"{"a":"red","b":1}"#,
            r#"{"a":"redder","b":2}"#,
            r#"{"a":["blue","red"],"b":3}"#,
            r#"{ "a" : { "c" : "blue" } }"#,
            r#"{"b":"née"}"#,
            r#"{"a":"r\u0065d"}"#,
        ];
        let required = required(filter).unwrap();
        let found = ITEMS.iter().enumerate().filter(|(_, text)| required.may_pass(text.as_bytes()));
        let found: Vec<usize> = found.map(|(index, _)| index).collect();
        // The last one has an escape, so that only the filter can decide.
        assert_eq!(found, [passing, &[5]].concat(), "{filter}");
    }

    #[test]
    fn items_without_the_text_of_a_filter_cannot_pass() {
        check("c.a = 'red'", &[0, 2]);
        check("'red' = c.a", &[0, 2]);
        check("c.b > 1 AND c.a = 'red'", &[0, 2]);
        check("c.a = 'redder' AND c.a = 'red'", &[1]);
        check("c.a IN ('blue', 'redder')", &[1, 2, 3]);
        check("c.a = 'redder' OR c.a.c = 'blue'", &[1, 2, 3]);
        check("ARRAY_CONTAINS(c.a, 'blue')", &[2, 3]);
        check("CONTAINS(c.a, 'edde')", &[1]);
        check("STARTSWITH(c.a, 'red')", &[0, 1, 2]);
        check("ENDSWITH(c.b, 'ée')", &[4]);
        check("STRINGEQUALS(c.a, 'red')", &[0, 2]);
    }

    #[test]
    fn filters_that_need_no_text_of_the_item_require_none() {
        for filter in [
            "c.a != 'red'",
            "NOT (c.a = 'red')",
            "c.a = 'red' OR c.b = 1",
            "c.a NOT IN ('red')",
            "c.a IN ('red', 1)",
            "c.a > 'red'",
            "CONTAINS(c.a, 'red', true)",
            "CONTAINS('redder', c.a)",
            "UPPER(c.a) = 'RED'",
            "c.a = 'r\"d'",
            "c.a = ''",
            "c.b = 1",
        ] {
            assert!(required(filter).is_none(), "{filter}");
        }
    }
}
