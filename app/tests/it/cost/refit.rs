//! `planisphere cost refit`: own measurements against the model.

use std::fs;

use model::Json;

use crate::planisphere::{Said, planisphere};

fn refit(lines: &str, words: &[&str]) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("diagnostics.jsonl");
    fs::write(&path, lines).unwrap();
    planisphere([&["cost", "refit", path.to_str().unwrap()], words].concat())
}

/// Measurements of a service whose constants are others than the model's.
fn measured() -> String {
    let mut lines = String::new();
    for items in [0_u32, 1, 10, 50, 200] {
        for lookups in 1..4 {
            let (items, lookups) = (f64::from(items), f64::from(lookups));
            let kilobytes = items * lookups * 0.5;
            let charge = 2.5 + 0.2 + 0.3 * lookups + 0.03 * items + 0.05 * kilobytes;
            lines += &format!(
                "{{\"operation\":\"query\",\"charge\":{charge},\"lookups\":{lookups},\"loaded\":{items},\
                 \"loadedBytes\":{}}}\n",
                kilobytes * 1024.0
            );
        }
    }
    for (bytes, leaves) in [(500_u32, 2_u32), (500, 9), (1900, 4), (60_000, 30)] {
        let write = [(500, 104.0), (1900, 132.0), (60_000, 476.0)];
        let write = write.iter().find(|(known, _)| *known == bytes).unwrap().1 / 21.0;
        let charge = 1.1 * write + 0.5 * f64::from(leaves);
        lines += &format!(
            "{{\"operation\":\"create\",\"charge\":{charge},\"bytes\":{bytes},\"leaves\":{leaves}}}\n"
        );
        let charge = 1.1 * write + 0.9 * write + 0.5 * 2.0;
        lines += &format!(
            "{{\"operation\":\"replace\",\"charge\":{charge},\"bytes\":{bytes},\"changedLeaves\":2}}\n"
        );
    }
    lines += "{\"operation\":\"read\",\"charge\":1.2,\"bytes\":900}\n\n";
    lines += "{\"operation\":\"read\",\"charge\":1.0,\"bytes\":10}\n";
    lines
}

fn constant(report: &Json, name: &str) -> Option<f64> {
    let constants = report.get("constants").unwrap().as_array().unwrap();
    let found = constants.iter().find(|one| one.get("name").unwrap().as_str() == Some(name));
    match found.unwrap_or_else(|| panic!("{name}: {report}")).get("fitted") {
        Some(Json::Number(number)) => Some(number.as_f64()),
        _ => None,
    }
}

#[test]
fn constants_are_found_again_from_measurements() {
    let said = refit(&measured(), &["--json"]).succeeded();
    let report = Json::parse(said.out.as_bytes()).unwrap();
    for (name, value) in [
        ("lookup", 0.3),
        ("item loaded", 0.03),
        ("KB loaded", 0.05),
        ("write by size, factor", 1.1),
        ("removal of the old version, factor", 0.9),
        ("indexed leaf", 0.5),
        ("read 1 KB", 1.1),
    ] {
        let fitted = constant(&report, name).unwrap();
        assert!((fitted - value).abs() < 1e-4, "{name}: {fitted}, not {value}\n{report}");
    }
    // Every line uses the index once per page, so only the sum of the two is known.
    let page = [constant(&report, "page"), constant(&report, "first index use")];
    assert_eq!(page.iter().flatten().count(), 1, "{report}");
    let query = report
        .get("operations")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one.get("operation").unwrap().as_str() == Some("query"));
    let Some(Json::Number(worst)) = query.unwrap().get("worstPercentFitted") else { panic!() };
    assert!(worst.as_f64() < 0.01, "{report}");
}

#[test]
fn the_report_is_read_by_people_too() {
    let said = refit(&measured(), &[]).succeeded();
    assert!(
        said.out.starts_with("25 lines against model azure-2026-04, profile azure\n"),
        "{said:?}"
    );
    for words in [
        "operation",
        "query",
        "mean error",
        "constant",
        "best fit",
        "not determined by these lines",
    ] {
        assert!(said.out.contains(words), "{words}: {said:?}");
    }
}

#[test]
fn charges_of_the_model_are_not_off() {
    let line = "{\"operation\":\"create\",\"charge\":5.714286,\"bytes\":1,\"leaves\":2}\n";
    let said = refit(line, &[]).succeeded();
    assert!(said.out.contains("create         1       0.0 %"), "{said:?}");
}

#[test]
fn a_line_that_makes_no_sense_is_refused_with_its_number_and_field() {
    let good = "{\"operation\":\"read\",\"charge\":1,\"bytes\":10}\n\n";
    for (line, words) in [
        ("nothing", ["line 3", "not JSON"]),
        (r#"{"charge":1}"#, ["line 3", "'operation' is missing"]),
        (r#"{"operation":"reed","charge":1}"#, ["'reed'", "use read, create"]),
        (r#"{"operation":"read","bytes":10}"#, ["line 3", "'charge' is missing"]),
        (r#"{"operation":"read","charge":-1,"bytes":10}"#, ["'charge' is -1", "above 0"]),
        (r#"{"operation":"read","charge":1}"#, ["line 3", "'bytes' is missing"]),
        (r#"{"operation":"read","charge":1,"bytes":99999999}"#, ["'bytes' is 99999999", "2097152"]),
        (r#"{"operation":"create","charge":1,"bytes":1}"#, ["line 3", "'leaves' is missing"]),
        (
            r#"{"operation":"create","charge":1,"bytes":1,"leaves":1.5}"#,
            ["'leaves' is 1.5", "whole"],
        ),
        (
            r#"{"operation":"read","charge":1,"bytes":1,"leaves":1}"#,
            ["'leaves'", "nothing for a read"],
        ),
    ] {
        let said = refit(&format!("{good}{line}\n"), &[]);
        assert_eq!((said.code, said.err.lines().count()), (2, 1), "{said:?}");
        for words in words.iter().chain(&["diagnostics.jsonl"]) {
            assert!(said.err.contains(words), "{words:?} is missing in {:?}", said.err);
        }
    }
    assert!(refit("\n", &[]).err.contains("it has no lines"));
}
