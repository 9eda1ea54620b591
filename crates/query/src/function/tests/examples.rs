//! Every example of every function, run; and the page made of them.

use super::call::{evaluate, parse_arguments};
use crate::function::{Kind, reference, registry};
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
            let is_aggregate = matches!(function.kind, Kind::Aggregate(_));
            assert!(is_aggregate || function.arity().allows(arguments), "{}", function.name);
        }
    }
}

#[test]
fn every_function_says_what_it_does_and_shows_it() {
    for function in registry() {
        let name = function.name;
        assert!(function.summary.ends_with('.'), "{name}");
        let is_unpredictable = name == "RAND" || matches!(function.kind, Kind::Planned);
        assert!(is_unpredictable || !function.examples.is_empty(), "{name}");
    }
}

#[test]
fn the_reference_names_every_function_once() {
    let page = reference();
    for function in registry() {
        let heading = format!("\n### {}\n", function.name);
        assert_eq!(page.matches(&heading).count(), 1, "{heading}");
        assert!(page.contains(function.summary));
    }
    assert!(page.contains("`LOG(number, [base])`"));
    assert!(page.contains("`CONCAT(first, second, …)`"));
    assert!(page.contains("| `INTMOD(-12, -5)` | `-2` |"));
}

#[test]
fn the_page_of_the_reference_is_the_one_kept() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/functions.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, reference()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == reference(),
        "docs/reference/functions.md is stale: UPDATE_REFERENCE=1 cargo test -p query reference"
    );
}

#[test]
fn the_reference_says_which_index_serves_a_function_today() {
    let page = reference();
    for (name, sentence) in [
        ("ABS", "Index: range, by seek."),
        ("ARRAY_CONTAINS", "Index: range, by seek."),
        ("STARTSWITH", "Index: range, by a scan of the values wanted."),
        ("SUBSTRING", "Index: range, by a scan of the values wanted."),
        ("IS_STRING", "Index: range, by a scan of the values wanted."),
        ("CONTAINS", "Index: range, by a scan of all texts."),
        ("UPPER", "Index: none; items are read."),
        ("ROUND", "Index: none yet; items are read, though a range index could serve it."),
        ("COUNT", "Index: range, without reading items."),
        ("MAX", "Index: range, without reading items."),
        ("SUM", "Index: composite, with the paths"),
        ("COUNTIF", "Index: none of its own; the filter's."),
        ("ST_WITHIN", "Index: none yet; a spatial index does not serve it"),
        ("VECTORDISTANCE", "Index: none yet; a vector index does not serve it"),
        ("FULLTEXTCONTAINS", "Index: none yet; a full-text index does not serve it"),
        ("FULLTEXTSCORE", "Index: none yet; a full-text index does not serve it"),
    ] {
        let start = page.find(&format!("\n### {name}\n")).unwrap();
        let section = page[start + 4..].split("\n### ").next().unwrap();
        assert!(section.contains(sentence), "{section}");
    }
}

#[test]
fn random_numbers_come_from_the_context() {
    assert_eq!(evaluate("RAND", ""), Value::from(0.25));
}
