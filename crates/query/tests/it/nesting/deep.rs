//! Nesting up to the limits: what parses still parses when it is printed, and every stage can bear it.

use proptest::prelude::*;
use query::{BuiltInFunctions, Parameters, bind, parse, print};

use super::on_a_small_stack;
use super::shapes::{self, Shape};
use crate::fuzz::oracle;

/// Nested shapes around a core, outermost first.
fn text(shapes: &[&Shape], core: &str) -> String {
    let before: String = shapes.iter().map(|(before, _)| before.as_str()).collect();
    let after: String = shapes.iter().rev().map(|(_, after)| after.as_str()).collect();
    format!("SELECT VALUE {before}{core}{after} FROM c")
}

/// The longest accepted prefix of a list of shapes.
fn deepest(shapes: &[&Shape], core: &str) -> String {
    let of = |levels: usize| text(shapes.get(..levels).unwrap_or(shapes), core);
    let (mut accepted, mut refused) = (0, shapes.len() + 1);
    while refused - accepted > 1 {
        let middle = usize::midpoint(accepted, refused);
        if parse(&of(middle)).is_ok() { accepted = middle } else { refused = middle }
    }
    of(accepted)
}

fn assert_round_trip(text: &str) {
    let tree = parse(text).expect("the text is accepted");
    let printed = print(&tree);
    let again = parse(&printed);
    assert!(again.as_ref() == Ok(&tree), "{text}\nis printed as\n{printed}\n{:?}", again.err());
    assert!(print(&tree) == printed, "{text}");
}

#[test]
fn the_deepest_text_of_every_shape_survives_a_round_trip() {
    on_a_small_stack(|| {
        for shape in &shapes::all() {
            assert_round_trip(&deepest(&[shape; 600], "c.a"));
        }
    });
}

#[test]
fn the_deepest_text_of_every_shape_goes_through_every_stage() {
    on_a_small_stack(|| {
        for shape in &shapes::all() {
            oracle::check_query(&deepest(&[shape; 600], "c.a"));
        }
    });
}

#[test]
fn long_chains_inside_each_other_are_printed_with_no_more_parentheses_than_are_read() {
    on_a_small_stack(|| {
        let shapes = shapes::long();
        let mut inside_each_other: Vec<&Shape> = shapes.iter().cycle().take(12).collect();
        assert_round_trip(&text(&inside_each_other, "c.a"));
        inside_each_other.reverse();
        assert_round_trip(&text(&inside_each_other, "c.a"));
    });
}

#[test]
fn the_deepest_tree_can_be_walked_by_every_stage() {
    on_a_small_stack(|| {
        let text = format!("SELECT VALUE {}1{}", "ABS(1 + ".repeat(120), ")".repeat(120));
        let tree = parse(&text).expect("120 levels are allowed");
        assert!(tree.clone() == tree);
        assert!(print(&tree).contains("ABS((1 + ABS("));
        assert!(bind(&tree, &Parameters::default(), &BuiltInFunctions).is_ok());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_deepest_text_of_mixed_shapes_survives_a_round_trip(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..12),
        core in prop::sample::select(vec!["c.a", "1", "-1", "NaN", "'x'", "(SELECT VALUE 1)"]),
    ) {
        on_a_small_stack(move || {
            let shapes = shapes::all();
            let chosen: Vec<Shape> = places
                .iter()
                .map(|(place, in_parentheses)| (place.get(&shapes), in_parentheses))
                .map(|((before, after), in_parentheses)| match in_parentheses {
                    true => (format!("({before}"), format!("{after})")),
                    false => (before.clone(), after.clone()),
                })
                .collect();
            // A few repeated shapes reach deeper than many random ones.
            let mixed: Vec<&Shape> = chosen.iter().cycle().take(600).collect();
            assert_round_trip(&deepest(&mixed, core));
        });
    }
}
