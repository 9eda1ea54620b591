//! Checking one case: the actual results against the expected ones.

use std::path::Path;

use model::{ComputedProperty, Json};
use query::{BoundQuery, BuiltInFunctions, ComputedProperties, Parameters, QueryError};

use super::file::Case;
use super::{rows, values};

/// The results of a query, stage by stage.
struct Outcome {
    printed: Option<String>,
    bound: Result<BoundQuery, Vec<QueryError>>,
    items: Vec<Json>,
}

/// Compares every expectation of a case, or rewrites it. Returns the failures.
pub(super) fn check(path: &Path, case: &mut Case, updates: bool) -> Vec<String> {
    let place = format!("{}:{}: {}", path.display(), case.line, case.title);
    if case.section("values").is_some() {
        return check_table(&place, case, updates);
    }
    let outcome = match run(case) {
        Ok(outcome) => outcome,
        Err(message) => return vec![format!("{place}\n{message}")],
    };
    let mut failures = Vec::new();
    if !case.sections.iter().any(|section| is_expectation(&section.name)) {
        failures.push(format!("{place}\nthe case expects nothing"));
    }
    if outcome.bound.is_ok() && (case.section("error").or(case.section("json"))).is_some() {
        failures.push(format!("{place}\nthe query is not refused"));
    }
    for section in &mut case.sections {
        let actual = match actual(&section.name, &outcome) {
            Some(Ok(actual)) => actual,
            Some(Err(message)) => {
                failures.push(format!("{place}\n{message}"));
                continue;
            }
            None => continue,
        };
        if actual == section.body
            || (section.name == "unordered" && sorted(&actual) == sorted(&section.body))
        {
            continue;
        }
        if updates {
            section.body = actual;
        } else {
            let name = &section.name;
            failures
                .push(format!("{place}\n-- {name} --\n{actual}\n-- expected --\n{}", section.body));
        }
    }
    failures
}

/// Compares a table of expressions, line by line.
fn check_table(place: &str, case: &mut Case, updates: bool) -> Vec<String> {
    let inputs = rows::items(case).and_then(|items| Ok((items, parameters(case)?)));
    let (items, parameters) = match inputs {
        Ok(inputs) => inputs,
        Err(message) => return vec![format!("{place}\n{message}")],
    };
    let mut failures = Vec::new();
    for section in &mut case.sections {
        match section.name.as_str() {
            "values" => {}
            "items" | "parameters" => continue,
            other => failures.push(format!("{place}\nno such section beside a table: {other}")),
        }
        match values::evaluated(&section.body, &items, &parameters) {
            Err(message) => failures.push(format!("{place}\n{message}")),
            Ok(actual) if updates => section.body = actual,
            Ok(actual) => {
                let lines = actual.lines().zip(section.body.lines());
                failures.extend(
                    lines
                        .filter(|(actual, expected)| actual != expected)
                        .map(|(actual, expected)| format!("{place}\n{actual}\nnot {expected}")),
                );
            }
        }
    }
    failures
}

fn is_expectation(section: &str) -> bool {
    matches!(
        section,
        "printed"
            | "properties"
            | "aggregates"
            | "error"
            | "json"
            | "rows"
            | "unordered"
            | "failure"
    )
}

fn sorted(lines: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines
}

/// The actual content of a section; `None` for input sections.
fn actual(section: &str, outcome: &Outcome) -> Option<Result<String, String>> {
    let bound = || outcome.bound.as_ref().map_err(|errors| listed(errors));
    Some(match section {
        "printed" => match &outcome.printed {
            Some(printed) => Ok(printed.clone()),
            None => Err(bound().err().unwrap_or_default()),
        },
        "properties" => bound().map(|bound| bound.property_names().collect::<Vec<_>>().join("\n")),
        "aggregates" => bound().map(|bound| {
            let names: Vec<&str> =
                bound.aggregates.iter().map(|aggregate| aggregate.function).collect();
            names.join("\n")
        }),
        "error" => {
            Ok(outcome.bound.as_ref().err().map(|errors| listed(errors)).unwrap_or_default())
        }
        "json" => Ok(outcome
            .bound
            .as_ref()
            .err()
            .map(|errors| query::to_json(errors).to_string())
            .unwrap_or_default()),
        "rows" | "unordered" => {
            bound().and_then(|bound| rows::rows(bound, &outcome.items)).map(|rows| rows.join("\n"))
        }
        "failure" => bound().map(|bound| match rows::rows(bound, &outcome.items) {
            Ok(rows) => format!("no failure, but\n{}", rows.join("\n")),
            Err(failure) => failure,
        }),
        "query" | "query-json" | "parameters" | "computed" | "items" => return None,
        unknown => Err(format!("no such section: {unknown}")),
    })
}

fn listed(errors: &[QueryError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn run(case: &Case) -> Result<Outcome, String> {
    let text = query_text(case)?;
    let items = rows::items(case)?;
    let tree = match query::parse(&text) {
        Ok(tree) => tree,
        Err(errors) => return Ok(Outcome { printed: None, bound: Err(errors), items }),
    };
    let printed = query::print(&tree);
    match query::parse(&printed) {
        Ok(again) if again == tree => {}
        other => return Err(format!("printed as\n{printed}\nwhich reads back as {other:?}")),
    }
    let computed = computed(case.section("computed"))?;
    let bound = query::bind_with(&tree, &parameters(case)?, &BuiltInFunctions, &computed);
    Ok(Outcome { printed: Some(printed), bound, items })
}

fn query_text(case: &Case) -> Result<String, String> {
    if let Some(text) = case.section("query") {
        return Ok(text.to_owned());
    }
    let json = case.section("query-json").ok_or("the case has no query")?;
    let value = Json::parse(json.as_bytes()).map_err(|error| format!("{error:?}"))?;
    value.as_str().map(str::to_owned).ok_or_else(|| "query-json is no string".to_owned())
}

/// The computed properties of a case, one per line: `name: query`.
pub(crate) fn computed(section: Option<&str>) -> Result<ComputedProperties, String> {
    let properties = section.unwrap_or_default().lines().map(|line| {
        let (name, query) = line.split_once(": ").ok_or("a computed property is `name: query`")?;
        ComputedProperty::new(name, query).map_err(|error| error.message().to_owned())
    });
    let properties: Result<Vec<ComputedProperty>, String> = properties.collect();
    ComputedProperties::new(&properties?).map_err(|error| error.message().to_owned())
}

fn parameters(case: &Case) -> Result<Parameters, String> {
    let Some(json) = case.section("parameters") else {
        return Ok(Parameters::new());
    };
    let list = Json::parse(json.as_bytes()).map_err(|error| format!("{error:?}"))?;
    let list = list.as_array().ok_or("parameters are a list")?;
    list.iter()
        .map(|parameter| {
            let name =
                parameter.get("name").and_then(Json::as_str).ok_or("a parameter has a name")?;
            Ok((name.to_owned(), parameter.get("value").cloned()))
        })
        .collect()
}
