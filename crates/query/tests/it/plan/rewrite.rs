//! Text cases of distribution.
//!
//! A file `*.plantest` under `tests/cases/plan` has the layout of the syntax cases. Sections that are input: `query`,
//! `parameters` (JSON), `computed` (as in the other cases), `key` (paths of the partition key, `/key` without the
//! section), `features`, `vectors` (JSON), `geospatial`. Sections that are expected: `rewritten`, `info` (members of
//! `queryInfo` that differ from a plain query), `plan` (the whole document), `hybrid`, `keys`, `ranges`, `needed`,
//! `direct`, `error`. `UPDATE_SQLTEST=1` rewrites them.

use std::path::{Path, PathBuf};

use model::{GeospatialConfig, Json, PartitionKeyDefinition, VectorEmbeddingPolicy};
use query::plan::distribute::{
    DirectService, DistributedQuery, FeatureSet, PlanBody, PlanContext, direct_service, distribute,
};
use query::{BuiltInFunctions, Parameters, bind, bind_with, parse};

use super::file::{self, Case};

#[test]
fn every_plan_case_holds() {
    let updates = std::env::var_os("UPDATE_SQLTEST").is_some();
    let mut failures = Vec::new();
    let mut count = 0;
    for path in files() {
        let (preamble, mut cases) = file::read(&path);
        for case in &mut cases {
            count += 1;
            failures.extend(check(case, updates));
        }
        if updates {
            file::write(&path, &preamble, &cases);
        }
    }
    assert!(failures.is_empty(), "{}\n{} failed", failures.join("\n\n"), failures.len());
    assert!(count >= 80, "only {count} cases found");
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/plan");
    let entries = std::fs::read_dir(folder).expect("the folder of plan cases exists");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder is readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "plantest"));
    files.sort();
    files
}

const INPUTS: [&str; 7] =
    ["query", "parameters", "computed", "key", "features", "vectors", "geospatial"];

fn check(case: &mut Case, updates: bool) -> Vec<String> {
    let outcome = run(case);
    let title = case.title.clone();
    let mut failures = Vec::new();
    match &outcome {
        Err(error) if case.section("error").is_none() => {
            return vec![format!("{title}\nrefused: {error}")];
        }
        Err(_) => {}
        Ok(query) => {
            failures.extend(check_texts(query).err().map(|text| format!("{title}\n{text}")));
        }
    }
    for (name, body) in &mut case.sections {
        if INPUTS.contains(&name.as_str()) {
            continue;
        }
        let actual = actual(name, &outcome);
        if actual == *body {
            continue;
        }
        if updates {
            *body = actual;
        } else {
            failures.push(format!("{title}\n-- {name} --\n{actual}\n-- expected --\n{body}"));
        }
    }
    failures
}

/// Every text that a client would send back must parse and bind.
pub(super) fn check_texts(query: &DistributedQuery) -> Result<(), String> {
    let texts: Vec<&str> = match &query.body {
        PlanBody::Query(info) => vec![&info.rewritten_query],
        PlanBody::Hybrid(info) => {
            let components = info.components.iter().map(|one| one.rewritten_query.as_str());
            components.chain([info.statistics_query.as_str()]).collect()
        }
    };
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        let sent = filled(text);
        let tree = parse(&sent).map_err(|errors| format!("{sent}\n{errors:?}"))?;
        bind(&tree, &Parameters::new(), &BuiltInFunctions)
            .map_err(|errors| format!("{sent}\n{errors:?}"))?;
    }
    Ok(())
}

/// A rewritten text with the placeholders filled in, as clients send it.
pub(super) fn filled(text: &str) -> String {
    let mut sent = text.replace("{documentdb-formattableorderbyquery-filter}", "true");
    while let Some(start) = sent.find("{documentdb-formattablehybridsearchquery-") {
        let length = sent[start..].find('}').expect("a mark ends") + 1;
        let mark = &sent[start..start + length];
        let value = if mark.contains("hitcountsarray") { "[1, 2]" } else { "10" };
        sent.replace_range(start..start + length, value);
    }
    sent
}

fn run(case: &Case) -> Result<DistributedQuery, String> {
    let text = case.section("query").expect("a case has a query");
    let listed = |errors: Vec<query::QueryError>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let tree = parse(text).map_err(listed)?;
    let computed = crate::sqltest::check::computed(case.section("computed"))?;
    let bound =
        bind_with(&tree, &parameters(case), &BuiltInFunctions, &computed).map_err(listed)?;
    let paths: Vec<&str> = case.section("key").unwrap_or("/key").split_whitespace().collect();
    let definition = match paths.as_slice() {
        [path] => PartitionKeyDefinition::single(path),
        paths => PartitionKeyDefinition::hierarchical(paths),
    };
    let definition = definition.expect("a case has a valid key");
    let features = case.section("features").map_or_else(FeatureSet::full, FeatureSet::parse);
    let vectors = case.section("vectors").map(|text| {
        VectorEmbeddingPolicy::from_json(&json(text)).expect("a case has valid vectors")
    });
    let geospatial = match case.section("geospatial") {
        Some("Geometry") => GeospatialConfig::Geometry,
        _ => GeospatialConfig::Geography,
    };
    let vectors = vectors.as_ref();
    let context = PlanContext { partition_key: &definition, vectors, geospatial, features };
    distribute(&tree, &bound, &context).map_err(|error| error.to_string())
}

fn parameters(case: &Case) -> Parameters {
    let list = json(case.section("parameters").unwrap_or("[]"));
    let list = list.as_array().expect("parameters are a list").to_vec();
    list.iter()
        .map(|one| {
            let name = one.get("name").and_then(Json::as_str).expect("a parameter has a name");
            (name.to_owned(), one.get("value").cloned())
        })
        .collect()
}

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("a section is JSON")
}

fn actual(section: &str, outcome: &Result<DistributedQuery, String>) -> String {
    let query = match outcome {
        Ok(query) => query,
        Err(error) if section == "error" => return error.replace("\r\n", "\n"),
        Err(error) => return format!("refused: {error}"),
    };
    match (section, &query.body) {
        ("rewritten", PlanBody::Query(info)) => info.rewritten_query.clone(),
        ("rewritten", PlanBody::Hybrid(info)) => {
            let texts: Vec<&str> =
                info.components.iter().map(|one| one.rewritten_query.as_str()).collect();
            texts.join("\n\n")
        }
        ("statistics", PlanBody::Hybrid(info)) => info.statistics_query.clone(),
        ("info", PlanBody::Query(info)) => unusual(&info.to_json()),
        ("hybrid", PlanBody::Hybrid(info)) => unusual(&info.to_json()),
        ("plan", _) => query.to_json().to_string(),
        ("keys", _) => query.partitions.to_string(),
        ("ranges", _) => {
            let document = query.to_json();
            document.get("queryRanges").map(Json::to_string).unwrap_or_default()
        }
        ("needed", _) => {
            query.needed.iter().map(|feature| feature.name()).collect::<Vec<_>>().join(" ")
        }
        ("direct", _) => match direct_service(query) {
            DirectService::Served => "served".to_owned(),
            DirectService::NeedsPlan => "needs plan".to_owned(),
            DirectService::Refused(error) => error.to_string(),
        },
        ("error", _) => "not refused".to_owned(),
        _ => format!("no such section: {section}"),
    }
}

/// The members that differ from their defaults, without the texts that have sections of their own.
fn unusual(info: &Json) -> String {
    let object = info.as_object().expect("a description is an object");
    let usual = ["null", "[]", "{}", "false", "\"None\""];
    let texts = ["rewrittenQuery", "componentQueryInfos", "globalStatisticsQuery"];
    let members = object.iter().filter(|(name, value)| {
        !usual.contains(&value.to_string().as_str()) && !texts.contains(name)
    });
    members.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("\n")
}
