//! Runs every example of every function.

use super::call::{evaluate, parse_arguments};
use crate::function::{FunctionBody, registry};
use crate::value::Value;

#[test]
fn every_example_gives_its_result() {
    let mut wrong = Vec::new();
    for function in registry() {
        for example in function.examples {
            let result = evaluate(function.name, example.arguments).to_string();
            if result != example.result {
                wrong.push(format!(
                    "{}({}) is {result}, not {}",
                    function.name, example.arguments, example.result
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_is_a_call_the_function_allows() {
    for function in registry() {
        for example in function.examples {
            let arguments = parse_arguments(example.arguments).len();
            let is_aggregate = matches!(function.body, FunctionBody::Aggregate(_));
            assert!(is_aggregate || function.arity().allows(arguments), "{}", function.name);
        }
    }
}

#[test]
fn every_function_says_what_it_does_and_shows_it() {
    for function in registry() {
        let name = function.name;
        assert!(function.summary.ends_with('.'), "{name}");
        let is_unpredictable = name == "RAND" || matches!(function.body, FunctionBody::Planned);
        assert!(is_unpredictable || !function.examples.is_empty(), "{name}");
    }
}

#[test]
fn random_numbers_come_from_the_context() {
    assert_eq!(evaluate("RAND", ""), Value::from(0.25));
}
