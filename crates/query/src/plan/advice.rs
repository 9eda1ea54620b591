//! Query advice: forms that cost more than an equivalent one.
//!
//! Owns the rules and their identifiers, for which clients have the messages. Does not own whether advice was
//! requested.

use crate::ast::{Literal, QueryTree, Scalar, ScalarKind, Selection};

/// The identifiers of the rules that apply to a query, sorted and without duplicates.
#[must_use]
pub fn advice(query: &QueryTree) -> Vec<&'static str> {
    let mut found = Vec::new();
    let selected: Vec<&Scalar> = match &query.select.selection {
        Selection::Star(_) => Vec::new(),
        Selection::Value(value) => vec![value],
        Selection::List(items) => items.iter().map(|item| &item.expression).collect(),
    };
    selected.into_iter().chain(&query.filter).for_each(|part| gather(part, &mut found));
    found.sort_unstable();
    found.dedup();
    found
}

fn gather(scalar: &Scalar, found: &mut Vec<&'static str>) {
    if let ScalarKind::Call { function, arguments } = &scalar.kind {
        let third = arguments.get(2).map(|argument| &argument.kind);
        let is_true = third == Some(&ScalarKind::Literal(Literal::Bool(true)));
        found.extend(rule(&function.text.to_ascii_uppercase(), is_true));
    }
    scalar.for_each_child(&mut |part| gather(part, found));
}

/// The rule for a function. For some, a true third argument requests partial matches or ignores case.
fn rule(function: &str, is_third_true: bool) -> Option<&'static str> {
    match (function, is_third_true) {
        ("ARRAY_CONTAINS", true) => Some("QA1000"),
        ("CONTAINS", _) => Some("QA1002"),
        ("STARTSWITH" | "STRINGEQUALS", true) => Some("QA1003"),
        ("ENDSWITH", true) => Some("QA1004"),
        ("GETCURRENTDATETIME", _) => Some("QA1007"),
        ("GETCURRENTTICKS", _) => Some("QA1008"),
        ("GETCURRENTTIMESTAMP", _) => Some("QA1009"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::advice;
    use crate::parse;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(advice(&parse(text).unwrap()), expected, "{text}");
    }

    #[test]
    fn costly_forms_are_named_by_their_rule() {
        check("SELECT * FROM c WHERE c.a = 1", &[]);
        check(r#"SELECT * FROM c WHERE CONTAINS(c.a, "b")"#, &["QA1002"]);
        check(r#"SELECT * FROM c WHERE STARTSWITH(c.a, "b")"#, &[]);
        check(r#"SELECT * FROM c WHERE startswith(c.a, "b", true)"#, &["QA1003"]);
        check(r#"SELECT * FROM c WHERE NOT (c.x OR StringEquals(c.a, "b", true))"#, &["QA1003"]);
        check(r#"SELECT * FROM c WHERE ENDSWITH(c.a, "b", true)"#, &["QA1004"]);
        check(r#"SELECT * FROM c WHERE ARRAY_CONTAINS(c.a, {"n": 1}, true)"#, &["QA1000"]);
        check("SELECT * FROM c WHERE ARRAY_CONTAINS(c.a, 1)", &[]);
        check("SELECT * FROM c WHERE c.t < GetCurrentDateTime()", &["QA1007"]);
        check(
            "SELECT GetCurrentTicks() FROM c WHERE GetCurrentTimestamp() > 10",
            &["QA1008", "QA1009"],
        );
    }
}
