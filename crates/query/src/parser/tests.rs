//! The limits of the parser. Its grammar is covered by the text cases in `tests/it`.

use super::parse::TEXT_UNITS_MAX;
use super::*;

/// Runs a check on the smallest stack that a thread of the server has.
fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap().join().unwrap();
}

fn chain(operator: &str, count: usize) -> String {
    let terms: Vec<String> = (0..count).map(|term| format!("c.a = {term}")).collect();
    format!("SELECT * FROM c WHERE {}", terms.join(operator))
}

#[test]
fn twenty_thousand_operands_are_one_chain() {
    on_a_small_stack(|| {
        for operator in [" AND ", " OR "] {
            let tree = parse(&chain(operator, 20_000)).unwrap();
            assert_eq!(parse(&crate::print(&tree)).unwrap(), tree);
        }
        for operator in ["+", "-", "*", "||", " = "] {
            let text = format!("SELECT VALUE 1{}", format!("{operator}1").repeat(20_000));
            let tree = parse(&text).unwrap();
            assert_eq!(parse(&crate::print(&tree)).unwrap(), tree);
        }
    });
}

#[test]
fn long_lists_paths_coalescings_and_conditionals_are_loops() {
    on_a_small_stack(|| {
        for text in [
            format!("SELECT VALUE c.a IN (1{}) FROM c", ", 1".repeat(20_000)),
            format!("SELECT VALUE c{} FROM c", ".a".repeat(20_000)),
            format!("SELECT VALUE c{} FROM c", "[0]".repeat(20_000)),
            format!("SELECT VALUE 1{}", " ?? 1".repeat(20_000)),
            format!("SELECT VALUE 1{}", " ? 1 : 1".repeat(20_000)),
            format!("SELECT VALUE [1{}]", ", 1".repeat(20_000)),
        ] {
            let tree = parse(&text).unwrap();
            assert_eq!(parse(&crate::print(&tree)).unwrap(), tree);
        }
    });
}

#[test]
fn deep_nesting_is_rejected_with_a_message() {
    on_a_small_stack(|| {
        let wrap = |open: &str, close: &str| {
            format!("SELECT VALUE {}1{}", open.repeat(10_000), close.repeat(10_000))
        };
        for text in [
            wrap("(", ")"),
            wrap("[", "]"),
            wrap("{a: ", "}"),
            wrap("ABS(", ")"),
            wrap("1 + (", ")"),
            wrap("(1 + ", ")"),
            wrap("NOT ", ""),
            wrap("- ", ""),
            wrap("-(", ")"),
            wrap("(SELECT VALUE ", ")"),
            wrap("EXISTS(SELECT VALUE ", ")"),
            wrap("1 ? ", " : 1"),
            wrap("c[", "]"),
            wrap("1 IN (", ")"),
            format!("SELECT * {}", "FROM (SELECT * ".repeat(10_000)),
        ] {
            let error = parse(&text).unwrap_err().remove(0);
            assert!(error.message.contains("nesting levels"), "{error}");
        }
    });
}

#[test]
fn trees_that_deepen_to_the_left_are_rejected_too() {
    on_a_small_stack(|| {
        let text = format!("SELECT VALUE {}1{}", "(".repeat(2000), " + 1) * 2".repeat(2000));
        let error = parse(&text).unwrap_err().remove(0);
        assert!(error.message.contains("nesting levels"), "{error}");
    });
}

#[test]
fn a_printed_chain_of_a_thousand_operands_reads_back() {
    on_a_small_stack(|| {
        let tree = parse(&chain(" AND ", 1000)).unwrap();
        let printed = crate::print(&tree);
        assert!(printed.contains("(((((((((("));
        assert_eq!(parse(&printed).unwrap(), tree);
    });
}

#[test]
fn the_text_limit_counts_utf16_units() {
    let fits = format!("SELECT '{}'", "a".repeat(TEXT_UNITS_MAX - 9));
    assert!(parse(&fits).is_ok());
    let error = parse(&format!("{fits} ")).unwrap_err().remove(0);
    assert_eq!(
        error.to_string(),
        "SC3020 0..524289: The SQL query text exceeded the maximum limit of 524288 characters."
    );
    let wide = format!("SELECT '{}'", "😀".repeat(TEXT_UNITS_MAX / 2));
    assert!(parse(&wide).is_err());
}

#[test]
fn ten_joins_are_accepted_and_eleven_rejected() {
    let query = |joins: usize| {
        let joins: Vec<String> = (0..joins).map(|join| format!("JOIN x{join} IN c.a")).collect();
        format!("SELECT c FROM c {}", joins.join(" "))
    };
    assert!(parse(&query(10)).is_ok());
    let text = query(11);
    let error = parse(&text).unwrap_err().remove(0);
    let expected = format!(
        "SC3002 0..{}: The SQL query exceeded the maximum number of joins. The allowed limit is 10.",
        text.len()
    );
    assert_eq!(error.to_string(), expected);
}
