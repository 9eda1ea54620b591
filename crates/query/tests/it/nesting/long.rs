//! Long chains and lists, and the messages of limits.

use query::{BuiltInFunctions, Parameters, bind, parse, print};

use super::on_a_small_stack;

#[test]
fn a_chain_of_twenty_thousand_conditions_goes_through_every_stage() {
    on_a_small_stack(|| {
        for operator in ["AND", "OR"] {
            let chain = format!(" {operator} c.a = 1").repeat(20_000);
            let text = format!("SELECT * FROM c WHERE c.a = 0{chain}");
            let tree = parse(&text).expect("the chain parses");
            assert_eq!(parse(&print(&tree)), Ok(tree.clone()));
            assert!(bind(&tree, &Parameters::new(), &BuiltInFunctions).is_ok());
        }
    });
}

#[test]
fn a_list_of_twenty_thousand_candidates_goes_through_every_stage() {
    on_a_small_stack(|| {
        let text = format!("SELECT * FROM c WHERE c.a IN (0{})", ", 1".repeat(20_000));
        let tree = parse(&text).expect("the list parses");
        assert_eq!(parse(&print(&tree)), Ok(tree.clone()));
        assert!(bind(&tree, &Parameters::new(), &BuiltInFunctions).is_ok());
    });
}

#[test]
fn ten_thousand_parentheses_are_rejected_with_a_message() {
    on_a_small_stack(|| {
        let text = format!("SELECT VALUE {}1{}", "(".repeat(10_000), ")".repeat(10_000));
        let errors = parse(&text).expect_err("too deep");
        let message = errors.first().map(|error| error.message.as_str());
        let expected = "The SQL query exceeded the maximum number of nesting levels. The allowed limit is 4096.";
        assert_eq!(message, Some(expected));
    });
}

#[test]
fn the_deepest_left_leaning_tree_is_copied_compared_printed_bound_and_dropped() {
    on_a_small_stack(|| {
        let text = format!("SELECT VALUE {}1{}", "(".repeat(250), " + 1) * 2".repeat(250));
        let tree = parse(&text).expect("the tree is within the limit");
        assert_eq!(tree.clone(), tree);
        assert_eq!(parse(&print(&tree)), Ok(tree.clone()));
        assert!(bind(&tree, &Parameters::new(), &BuiltInFunctions).is_ok());
    });
}
