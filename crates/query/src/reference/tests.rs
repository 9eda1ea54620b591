//! The generated page: complete, up to date with the file in `docs`, and truthful about indexes.

use super::function_reference;
use crate::function::registry;

#[test]
fn the_reference_names_every_function_once() {
    let page = function_reference();
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
        std::fs::write(&path, function_reference()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == function_reference(),
        "docs/reference/functions.md is stale: UPDATE_REFERENCE=1 cargo test -p planisphere-query reference"
    );
}

#[test]
fn the_reference_says_which_index_serves_a_function_today() {
    let page = function_reference();
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
