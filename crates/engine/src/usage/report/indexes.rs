//! Indexes that queries would need, and indexes that no query uses.

use model::{Json, Object};

use super::super::document::decimal;
use super::member::{list, number, ratio, text};

const ROWS_MAX: usize = 50;

/// The part of an indexing policy that would serve a query; `None` if it needs no further index.
pub(super) fn needed_index(query: &Json) -> Option<Json> {
    let (paths, composites) = (list(query, "helpingPaths"), list(query, "helpingComposites"));
    if paths.is_empty() && composites.is_empty() {
        return None;
    }
    let mut policy = Object::new();
    if !paths.is_empty() {
        let paths = paths.iter().map(|path| member("path", path.clone()));
        policy.insert("includedPaths", paths.collect::<Vec<_>>());
    }
    if !composites.is_empty() {
        let composites = composites.iter().map(|composite| {
            let parts = composite.as_array().unwrap_or_default().iter();
            Json::Array(parts.filter_map(Json::as_str).map(composite_part).collect())
        });
        policy.insert("compositeIndexes", composites.collect::<Vec<_>>());
    }
    Some(Json::Object(policy))
}

fn member(name: &str, value: Json) -> Json {
    let mut object = Object::new();
    object.insert(name, value);
    Json::Object(object)
}

fn composite_part(spec: &str) -> Json {
    let (path, order) = spec.split_once(' ').unwrap_or((spec, "ASC"));
    let mut object = Object::new();
    object.insert("path", path);
    object.insert("order", if order == "DESC" { "descending" } else { "ascending" });
    Json::Object(object)
}

/// Indexed paths that no query has used, most expensive first.
pub(super) fn unused(container: &Json) -> Vec<Json> {
    let Some(written) = container.get("writtenPaths") else { return Vec::new() };
    let sampled = number(written, "sampledWrites");
    let used: Vec<&str> = list(container, "usedPaths").iter().filter_map(Json::as_str).collect();
    let costs = written.get("requestUnitsByPath").and_then(Json::as_object);
    let writes = complete_writes(container);
    let mut rows: Vec<(f64, Json)> = costs
        .into_iter()
        .flat_map(Object::iter)
        // The id is always indexed and cannot be excluded.
        .filter(|(path, _)| *path != "/id/?" && !used.contains(path))
        .map(|(path, cost)| {
            let cost = if let Json::Number(cost) = cost { cost.as_f64() } else { 0.0 };
            let per_write = ratio(cost, sampled);
            let mut object = Object::new();
            object.insert("path", path);
            object.insert("requestUnitsPerWrite", decimal(per_write));
            object.insert("requestUnitsAtMost", decimal(per_write * writes));
            (per_write, Json::Object(object))
        })
        .collect();
    rows.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    rows.into_iter().take(ROWS_MAX).map(|(_, row)| row).collect()
}

/// The number of complete items written.
fn complete_writes(container: &Json) -> f64 {
    let is_complete = |operation: &&Json| {
        matches!(text(operation, "operation"), "create" | "replace" | "upsert" | "batch")
    };
    let operations = list(container, "operations").iter().filter(is_complete);
    operations.map(|operation| number(operation, "itemsHandled")).sum()
}
