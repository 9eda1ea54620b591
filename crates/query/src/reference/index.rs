//! Which index serves a function.
//!
//! Determined by planning sample calls, so that the page cannot promise what no plan does. Does not own any rule: see
//! `plan`.

use model::{IndexingPolicy, Json};

use crate::bind::{BuiltInFunctions, Parameters, bind};
use crate::function::{Function, FunctionBody, FunctionFamily, IndexUse};
use crate::parser::parse;
use crate::plan::access::{AccessPlan, Indexes, Lookup, plan_access};
use crate::plan::condition::LookupKind;

/// Constants for the arguments after the first; a sample uses as many as it needs.
const ARGUMENTS: [&str; 3] = ["'ab', 'ab', 'ab', 'ab'", "2, 2, 2, 2", "0, 2, 2, 2"];

/// Suffixes that turn a call into a filter.
const TESTS: [&str; 3] = ["", " = 'ab'", " = 2"];

/// Everything is indexed, and one composite index too.
const POLICY: &str = r#"{"includedPaths":[{"path":"/*"}],
    "compositeIndexes":[[{"path":"/k"},{"path":"/x"}]]}"#;

/// The sentence about a function.
pub(super) fn sentence(function: &Function) -> &'static str {
    if matches!(function.body, FunctionBody::Aggregate(_)) {
        return aggregate(function);
    }
    match (served(function), function.index_use) {
        (Some(LookupKind::Seek), _) => "Index: range, by seek.",
        (Some(LookupKind::PreciseScan), _) => "Index: range, by a scan of the values wanted.",
        (Some(LookupKind::ExpandedScan), _) => "Index: range, by a scan of some values.",
        (Some(LookupKind::FullScan), _) => "Index: range, by a scan of all texts.",
        (None, IndexUse::None) => "Index: none; items are read.",
        (None, IndexUse::Special) => special(function.family),
        (None, _) => "Index: none yet; items are read, though a range index could serve it.",
    }
}

fn special(family: FunctionFamily) -> &'static str {
    match family {
        FunctionFamily::Spatial => {
            "Index: none yet; a spatial index does not serve it, it is computed for each item."
        }
        FunctionFamily::Vector => {
            "Index: none yet; a vector index does not serve it, it is computed for each item, exactly."
        }
        _ => "Index: none yet; a full-text index does not serve it, it is computed for each item.",
    }
}

fn aggregate(function: &Function) -> &'static str {
    let name = function.name;
    if plan(&format!("SELECT VALUE {name}(c.x) FROM c"))
        .is_some_and(|plan| plan.index_only.is_some())
    {
        return "Index: range, without reading items.";
    }
    match plan(&format!("SELECT VALUE {name}(c.x) FROM c WHERE c.k = 1")) {
        Some(AccessPlan { lookup: Lookup::Composite(_), .. }) => {
            "Index: composite, with the paths of the filter first and the path of the values last."
        }
        _ => "Index: none of its own; the filter's.",
    }
}

/// The cheapest lookup that the planner finds for a call on a property.
fn served(function: &Function) -> Option<LookupKind> {
    let count = function.required.len().saturating_sub(1);
    let mut kinds = Vec::new();
    for arguments in ARGUMENTS {
        let rest = arguments.split(", ").take(count).map(|argument| format!(", {argument}"));
        let rest: String = rest.collect();
        for test in TESTS {
            let text = format!("SELECT * FROM c WHERE {}(c.x{rest}){test}", function.name);
            // A constant of the wrong type makes the filter unsatisfiable, which says nothing about the function.
            let found = plan(&text).filter(|plan| plan.lookup != Lookup::Nothing);
            kinds.extend(found.and_then(|plan| plan.lookup.kind()));
        }
    }
    kinds.into_iter().min()
}

/// The plan of a sample; `None` if the sample is not a valid query.
fn plan(text: &str) -> Option<AccessPlan> {
    let tree = parse(text).ok()?;
    let query = bind(&tree, &Parameters::new(), &BuiltInFunctions).ok()?;
    let policy = IndexingPolicy::from_json(&Json::parse(POLICY.as_bytes()).ok()?).ok()?;
    plan_access(&query, &Indexes::new(&policy)).ok()
}
