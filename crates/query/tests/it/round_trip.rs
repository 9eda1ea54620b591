//! Properties of the parser and the printer.

use proptest::prelude::*;
use query::{BuiltInFunctions, Parameters, bind, parse, print, print_scalar};

use super::tree;

/// Fragments of queries, to reach deeper than random characters do.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "SELECT", "VALUE", "DISTINCT", "TOP", "FROM", "JOIN", "IN", "WHERE", "GROUP", "BY", "ORDER",
    "RANK", "ASC", "OFFSET", "LIMIT", "AND", "OR", "NOT", "BETWEEN", "LIKE", "ESCAPE", "EXISTS",
    "ARRAY", "udf", "c", "x", "ALL", "LEFT", "COUNT", "NaN", "@p", "1", "2.5", "0x1", "'s'",
    "\"t\"", "(", ")", "[", "]", "{", "}", ",", ".", ":", "?", "??", "*", "+", "-", "~", "||",
    "=", "!=", "<", ">>>", "null", "undefined", "AS", ";", "é", "'", "--", "\n",
];

fn tokens() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|tokens| tokens.join(" "))
}

/// Everything that may be done with a text; none of it may panic.
fn run(text: &str) -> Result<(), TestCaseError> {
    let Ok(tree) = parse(text) else {
        return Ok(());
    };
    let again = parse(&print(&tree));
    prop_assert_eq!(again.as_ref(), Ok(&tree));
    let _ = bind(&tree, &Parameters::new(), &BuiltInFunctions);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn printed_text_parses_to_the_same_tree(tree in tree::query()) {
        let printed = print(&tree);
        let again = parse(&printed);
        prop_assert_eq!(again.as_ref(), Ok(&tree), "{}", printed);
    }

    #[test]
    fn printing_is_idempotent(tree in tree::query()) {
        let printed = print(&tree);
        let again = parse(&printed).map(|tree| print(&tree));
        prop_assert_eq!(again, Ok(printed));
    }

    #[test]
    fn an_expression_prints_as_it_does_inside_a_query(scalar in tree::scalar()) {
        let text = format!("SELECT VALUE {}", print_scalar(&scalar));
        prop_assert!(parse(&text).is_ok(), "{}", text);
    }

    #[test]
    fn any_text_is_read_without_panic(text in "\\PC*") {
        run(&text)?;
        run(&format!("SELECT {text}"))?;
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        run(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_tokens_are_read_without_panic(text in tokens()) {
        run(&text)?;
        run(&format!("SELECT {text}"))?;
        run(&format!("SELECT * FROM c WHERE {text}"))?;
    }

    #[test]
    fn error_locations_lie_inside_the_text(text in tokens()) {
        let units = text.encode_utf16().count();
        for error in parse(&text).err().unwrap_or_default() {
            if let Some(location) = error.location {
                prop_assert!(location.start <= location.end && location.end <= units);
            }
        }
    }

    #[test]
    fn binding_a_random_tree_never_panics(tree in tree::query()) {
        let _ = bind(&tree, &Parameters::new(), &BuiltInFunctions);
    }
}
