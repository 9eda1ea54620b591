//! The documented table of composite indexes: which index serves which filter and order.

use model::{IndexingPolicy, Json};
use query::plan::access::{Indexes, Lookup, OrderAccess, plan_access};

use super::bound;

/// Parses `a+ b-, a+ c+`: paths with their directions; indexes are separated by commas.
pub(super) fn indexes(composites: &str) -> Indexes {
    let lists: Vec<String> = composites
        .split(',')
        .filter(|list| !list.trim().is_empty())
        .map(|list| {
            let paths: Vec<String> = list
                .split_whitespace()
                .map(|part| {
                    let (name, order) = match part.strip_suffix('-') {
                        Some(name) => (name, "descending"),
                        None => (part.trim_end_matches('+'), "ascending"),
                    };
                    format!(r#"{{"path":"/{name}","order":"{order}"}}"#)
                })
                .collect();
            format!("[{}]", paths.join(","))
        })
        .collect();
    let text = format!(
        r#"{{"indexingMode":"consistent","includedPaths":[{{"path":"/*"}}],"compositeIndexes":[{}]}}"#,
        lists.join(",")
    );
    let policy = IndexingPolicy::from_json(&Json::parse(text.as_bytes()).unwrap()).unwrap();
    Indexes::new(&policy)
}

/// The numbers of the composite indexes that serve a filter.
fn in_filter(lookup: &Lookup) -> Vec<usize> {
    match lookup {
        Lookup::Composite(composite) => vec![composite.index],
        Lookup::Intersection(parts) | Lookup::Union(parts) => {
            parts.iter().flat_map(in_filter).collect()
        }
        _ => Vec::new(),
    }
}

/// Which composite indexes a query uses: for its order together with its filter, or for its filter.
fn used(composites: &str, text: &str) -> Vec<usize> {
    let (_, query) = bound(text);
    match plan_access(&query, &indexes(composites)) {
        Err(_) => Vec::new(),
        Ok(plan) => match plan.order {
            OrderAccess::Composite { index, serves_filter: true, .. } => vec![index],
            OrderAccess::Composite { .. } => Vec::new(),
            _ => in_filter(&plan.lookup),
        },
    }
}

#[test]
fn composite_indexes_serve_what_the_documentation_says() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, &[usize])] = &[
        ("name qty", "SELECT * FROM c ORDER BY c.name ASC, c.qty ASC", &[0]),
        ("name qty", "SELECT * FROM c ORDER BY c.qty ASC, c.name ASC", &[]),
        ("name qty", "SELECT * FROM c ORDER BY c.name DESC, c.qty DESC", &[0]),
        ("name qty", "SELECT * FROM c ORDER BY c.name ASC, c.qty DESC", &[]),
        ("name qty ts", "SELECT * FROM c ORDER BY c.name, c.qty, c.ts", &[0]),
        ("name qty ts", "SELECT * FROM c ORDER BY c.name, c.qty", &[]),
        ("name qty", "SELECT * FROM c WHERE c.name = 'a' AND c.qty = 1", &[0]),
        ("name qty", "SELECT * FROM c WHERE c.name = 'a' AND c.qty > 1", &[0]),
        ("name qty", "SELECT COUNT(1) FROM c WHERE c.name = 'a' AND c.qty > 1", &[0]),
        ("name- qty", "SELECT * FROM c WHERE c.name = 'a' AND c.qty > 1", &[0]),
        ("name qty", "SELECT * FROM c WHERE c.name != 'a' AND c.qty > 1", &[]),
        ("name qty ts", "SELECT * FROM c WHERE c.name = 'a' AND c.qty = 1 AND c.ts > 2", &[0]),
        ("name qty ts", "SELECT * FROM c WHERE c.name = 'a' AND c.qty < 1 AND c.ts = 2", &[]),
        ("name qty, name ts",
            "SELECT * FROM c WHERE c.name = 'a' AND c.qty < 1 AND c.ts > 2", &[0, 1]),
        ("name ts", "SELECT * FROM c WHERE c.name = 'a' ORDER BY c.name, c.ts", &[0]),
        ("name ts", "SELECT * FROM c WHERE c.name = 'a' AND c.ts > 1 ORDER BY c.name, c.ts", &[0]),
        ("ts name", "SELECT * FROM c WHERE c.ts > 1 AND c.name = 'a' ORDER BY c.ts, c.name", &[]),
        ("name ts", "SELECT * FROM c WHERE c.name = 'a' ORDER BY c.ts, c.name", &[]),
        ("name ts", "SELECT * FROM c WHERE c.name = 'a' ORDER BY c.ts", &[]),
        ("qty name ts",
            "SELECT * FROM c WHERE c.qty = 1 AND c.name = 'a' ORDER BY c.qty, c.name, c.ts", &[0]),
        ("qty name ts", "SELECT * FROM c WHERE c.qty = 1 AND c.name = 'a' ORDER BY c.ts", &[]),
        ("name ts", "SELECT AVG(c.ts) FROM c WHERE c.name = 'a'", &[0]),
        ("ts name", "SELECT AVG(c.ts) FROM c WHERE c.name = 'a'", &[]),
        ("name ts", "SELECT AVG(c.ts) FROM c WHERE c.name > 'a'", &[]),
        ("name qty ts", "SELECT AVG(c.ts) FROM c WHERE c.name = 'a' AND c.qty = 1", &[0]),
        ("qty ts", "SELECT AVG(c.ts) FROM c WHERE c.name = 'a' AND c.qty > 1", &[]),
    ];
    for (composites, text, expected) in rows {
        assert_eq!(used(composites, text), *expected, "({composites}) {text}");
    }
}

#[test]
fn an_order_that_no_index_has_is_rejected() {
    let refusal = |policy: &str, text: &str| {
        let policy = IndexingPolicy::from_json(&Json::parse(policy.as_bytes()).unwrap()).unwrap();
        let (_, query) = bound(text);
        plan_access(&query, &Indexes::new(&policy)).unwrap_err().message
    };
    let some = r#"{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/*"}]}"#;
    let excluded = "The index path corresponding to the specified order-by item is excluded.";
    assert_eq!(refusal(some, "SELECT * FROM c ORDER BY c.x"), excluded);
    assert_eq!(refusal(some, "SELECT * FROM c ORDER BY c.x.y"), excluded);
    assert_eq!(refusal(r#"{"indexingMode":"none"}"#, "SELECT * FROM c ORDER BY c.a"), excluded);
    assert_eq!(
        refusal(some, "SELECT * FROM c ORDER BY c.a, c.b"),
        "The order by query does not have a corresponding composite index that it can be served \
         from."
    );
}

#[test]
fn an_order_reads_the_part_of_an_index_that_the_filter_allows() {
    let order = |composites: &str, text: &str| {
        let (_, query) = bound(text);
        let OrderAccess::Composite { is_reversed, equal, next, .. } =
            plan_access(&query, &indexes(composites)).unwrap().order
        else {
            panic!("{text}");
        };
        (is_reversed, equal.len(), super::access::values(&next))
    };
    let text = "SELECT * FROM c WHERE c.a = 1 AND c.b > 2 ORDER BY c.a DESC, c.b DESC";
    assert_eq!(order("a b", text), (true, 1, ">2 numbers".to_owned()));
    let text = "SELECT * FROM c WHERE (c.a > 1) OR (c.a = 1 AND c.b > 2) ORDER BY c.a, c.b";
    assert_eq!(order("a b", text), (false, 0, ">=1 numbers".to_owned()));
}
