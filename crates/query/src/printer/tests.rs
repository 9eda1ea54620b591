//! The layout of the service's recorded query plans.

use super::writer::NESTED_OPERATORS_MAX;
use super::*;
use crate::parse;

fn check(text: &str, printed: &str) {
    let tree = parse(text).unwrap();
    assert_eq!(print(&tree), printed);
    assert_eq!(parse(printed).unwrap(), tree);
}

#[test]
fn a_joined_subquery_stands_on_lines_of_its_own() {
    check(
        "SELECT info FROM c JOIN (SELECT VALUE s FROM s IN c.scores GROUP BY s) info",
        "SELECT info\nFROM c\nJOIN (\n    SELECT VALUE s\n    FROM s IN c.scores\n    GROUP BY s\n) AS info",
    );
}

#[test]
fn a_chain_opens_all_its_parentheses_first() {
    check("SELECT VALUE a AND b AND c FROM c", "SELECT VALUE ((a AND b) AND c)\nFROM c");
}

#[test]
fn a_long_chain_is_flat() {
    let text = format!("SELECT VALUE c.a{} FROM c", " OR c.a".repeat(NESTED_OPERATORS_MAX + 1));
    let printed = print(&parse(&text).unwrap());
    assert!(printed.starts_with("SELECT VALUE (c.a OR c.a OR"));
}

#[test]
fn counts_beyond_any_limit_are_printed_as_digits() {
    check("SELECT TOP 1e20 * FROM c", "SELECT TOP 100000000000000000000 *\nFROM c");
    check("SELECT TOP 2.5 * FROM c", "SELECT TOP 2.5 *\nFROM c");
    let digits = "9".repeat(310);
    check("SELECT TOP 1e400 * FROM c", &format!("SELECT TOP {digits} *\nFROM c"));
    let limit = "SELECT *\nFROM c\nOFFSET 0 LIMIT 18446744073709551616";
    check("SELECT * FROM c OFFSET 0 LIMIT 18446744073709551616", limit);
}

#[test]
fn an_expression_prints_alone() {
    let tree = parse("SELECT VALUE c.a+1 FROM c").unwrap();
    let crate::ast::Selection::Value(expression) = &tree.select.selection else { panic!() };
    assert_eq!(print_scalar(expression), "(c.a + 1)");
}
