//! Conditions of patches: their results, and what is rejected.

use model::Json;
use query::{BuiltInFunctions, ItemPredicate, Parameters, bind, parse};

use crate::sqltest::rows::context;

const ITEM: &str = r#"{"n": 1, "s": "Ann", "o": {"x": [1, 2]}, "u": null, "_ts": 5}"#;

/// The result of a condition for the item, or the error.
fn ask(condition: &str) -> String {
    let predicate = match ItemPredicate::parse(condition) {
        Ok(predicate) => predicate,
        Err(errors) => {
            return errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        }
    };
    let item = Json::parse(ITEM.as_bytes()).expect("the item is JSON");
    let answer = predicate.matches(&item, &context());
    answer.map_or_else(|error| error.to_string(), |holds| holds.to_string())
}

#[test]
fn only_true_holds() {
    for (condition, answer) in [
        ("from c where c.n = 1", "true"),
        ("FROM c WHERE c.n = 2", "false"),
        ("from root r where r.o.x[1] = 2 and startswith(r.s, 'A')", "true"),
        ("from items as i where i[\"n\"] in (3, 1)", "true"),
        ("from c where c.missing = 1", "false"),
        ("from c where not (c.missing = 1)", "false"),
        ("from c where c.n", "false"),
        ("from c where is_null(c.u) and not is_defined(c.missing)", "true"),
        ("from c where (c.n between 0 and 5) or c.n > 'a'", "true"),
        ("from c where exists(select value x from x in c.o.x where x > 1)", "true"),
        ("from c where array_length(array(select value x from x in c.o.x)) = 2", "true"),
        ("from c where c.n = 1 -- and only then", "true"),
        ("from c where c._ts = 5", "true"),
        ("from c where true", "true"),
        ("from c where GetCurrentTimestamp() > 0", "true"),
        ("from c where regexmatch(c.s, 'a.N', 'i')", "true"),
    ] {
        assert_eq!(ask(condition), answer, "{condition}");
    }
}

#[test]
fn anything_but_a_condition_is_rejected_with_its_location() {
    let shape =
        "refused: The condition must be FROM <alias> WHERE <condition> over the item itself.";
    for (condition, refusal) in [
        ("", "SC1002 0..0: Syntax error, unexpected end-of-file."),
        ("c.n = 1", "SC1001 0..1: Syntax error, incorrect syntax near 'c'."),
        ("where c.n = 1", "SC1001 0..5: Syntax error, incorrect syntax near 'where'."),
        ("from c", "SC1002 6..6: Syntax error, unexpected end-of-file."),
        ("from c where", "SC1002 12..12: Syntax error, unexpected end-of-file."),
        (
            "select * from c where c.n = 1",
            "SC1001 0..6: Syntax error, incorrect syntax near 'select'.",
        ),
        (
            "from c where c.n = 1 order by c.n",
            "SC1001 21..26: Syntax error, incorrect syntax near 'order'.",
        ),
        (
            "from c where c.n = 1 group by c.n",
            "SC1001 21..26: Syntax error, incorrect syntax near 'group'.",
        ),
        ("from c where c.n = 1;", "SC1010 20..21: Syntax error, invalid token ';'."),
        ("from c where d.n = 1", "SC2001 13..14: Identifier 'd' could not be resolved."),
        (
            "from c where nope(c.n)",
            "SC2005 13..17: 'nope' is not a recognized built-in function name.",
        ),
        ("from c join x in c.o.x where x = 1", shape),
        ("from c.o where o.x = 1", shape),
        ("from x in c.o.x where x = 1", shape),
        ("from (select * from c) s where s.n = 1", shape),
    ] {
        assert_eq!(ask(condition), refusal, "{condition}");
    }
    let aggregate = "refused: Aggregate functions are not allowed in the WHERE clause.";
    assert_eq!(ask("from c where count(c.n) = 1"), aggregate);
    let nothing = ask("from c where udf.nope(c.n)");
    assert_eq!(nothing, "'nope' is not a recognized user-defined function name.");
}

#[test]
fn the_filter_of_a_query_over_items_is_a_predicate() {
    let predicate = |text: &str| {
        let tree = parse(text).expect("the query parses");
        let query = bind(&tree, &Parameters::new(), &BuiltInFunctions).expect("the query binds");
        let predicate = ItemPredicate::from_query(&query)?;
        predicate.matches(&Json::parse(ITEM.as_bytes()).expect("the item is JSON"), &context()).ok()
    };
    assert_eq!(predicate("SELECT * FROM c"), Some(true));
    assert_eq!(predicate("SELECT TOP 3 * FROM c WHERE c.n = 2"), Some(false));
    assert_eq!(predicate("SELECT x FROM c JOIN x IN c.o.x"), None);
    assert_eq!(predicate("SELECT VALUE 1"), None);
}
