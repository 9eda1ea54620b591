//! Composite indexes: which queries they serve, row by row of the documented table, and that the answer is the same.

use engine::query::QueryItems;
use query::plan::access::{AccessPlan, Lookup, OrderAccess};

use super::ask::{create, rows};
use crate::account::{Account, container, json};

/// The composite indexes, the query, whether one of them is used.
const TABLE: &[(&str, &str, bool)] = &[
    ("name A, qty A", "SELECT * FROM c ORDER BY c.name, c.qty", true),
    ("name A, qty A", "SELECT * FROM c ORDER BY c.qty, c.name", false),
    ("name A, qty A", "SELECT * FROM c ORDER BY c.name DESC, c.qty DESC", true),
    ("name A, qty A", "SELECT * FROM c ORDER BY c.name ASC, c.qty DESC", false),
    ("name A, qty A, ts A", "SELECT * FROM c ORDER BY c.name, c.qty, c.ts", true),
    ("name A, qty A, ts A", "SELECT * FROM c ORDER BY c.name, c.qty", false),
    ("name A, qty A", "SELECT * FROM c WHERE c.name = 'n1' AND c.qty = 2", true),
    ("name A, qty A", "SELECT * FROM c WHERE c.name = 'n1' AND c.qty > 2", true),
    ("name A, qty A", "SELECT VALUE COUNT(1) FROM c WHERE c.name = 'n1' AND c.qty > 2", true),
    ("name D, qty A", "SELECT * FROM c WHERE c.name = 'n1' AND c.qty > 2", true),
    ("name A, qty A", "SELECT * FROM c WHERE c.name != 'n1' AND c.qty > 2", false),
    ("name A, qty A, ts A", "SELECT * FROM c WHERE c.name = 'n1' AND c.qty = 2 AND c.ts > 5", true),
    (
        "name A, qty A, ts A",
        "SELECT * FROM c WHERE c.name = 'n1' AND c.qty < 2 AND c.ts = 5",
        false,
    ),
    (
        "name A, qty A; name A, ts A",
        "SELECT * FROM c WHERE c.name = 'n1' AND c.qty < 4 AND c.ts > 5",
        true,
    ),
    ("name A, ts A", "SELECT * FROM c WHERE c.name = 'n1' ORDER BY c.name, c.ts", true),
    (
        "name A, ts A",
        "SELECT * FROM c WHERE c.name = 'n1' AND c.ts > 5 ORDER BY c.name, c.ts",
        true,
    ),
    (
        "ts A, name A",
        "SELECT * FROM c WHERE c.ts > 5 AND c.name = 'n1' ORDER BY c.ts, c.name",
        false,
    ),
    ("name A, ts A", "SELECT * FROM c WHERE c.name = 'n1' ORDER BY c.ts, c.name", false),
    ("name A, ts A", "SELECT * FROM c WHERE c.name = 'n1' ORDER BY c.ts", false),
    (
        "qty A, name A, ts A",
        "SELECT * FROM c WHERE c.qty = 2 AND c.name = 'n1' ORDER BY c.qty, c.name, c.ts",
        true,
    ),
    (
        "qty A, name A, ts A",
        "SELECT * FROM c WHERE c.qty = 2 AND c.name = 'n1' ORDER BY c.ts",
        false,
    ),
    ("name A, ts A", "SELECT VALUE AVG(c.ts) FROM c WHERE c.name = 'n1'", true),
    ("ts A, name A", "SELECT VALUE AVG(c.ts) FROM c WHERE c.name = 'n1'", false),
    ("name A, ts A", "SELECT VALUE AVG(c.ts) FROM c WHERE c.name > 'n1'", false),
    (
        "name A, qty A, ts A",
        "SELECT VALUE AVG(c.ts) FROM c WHERE c.name = 'n1' AND c.qty = 2",
        true,
    ),
    ("qty A, ts A", "SELECT VALUE AVG(c.ts) FROM c WHERE c.name = 'n1' AND c.qty > 2", false),
];

fn policy(composites: &str) -> String {
    let composites = composites.split("; ").map(|composite| {
        let paths = composite.split(", ").map(|path| {
            let (name, order) = path.split_once(' ').unwrap();
            let order = if order == "A" { "ascending" } else { "descending" };
            format!(r#"{{"path":"/{name}","order":"{order}"}}"#)
        });
        format!("[{}]", paths.collect::<Vec<_>>().join(","))
    });
    format!(
        r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash"}},"indexingPolicy":
            {{"includedPaths":[{{"path":"/*"}}],"compositeIndexes":[{}]}}}}"#,
        composites.collect::<Vec<_>>().join(",")
    )
}

fn uses_composite(access: &AccessPlan) -> bool {
    fn looks_up(lookup: &Lookup) -> bool {
        match lookup {
            Lookup::Composite(_) => true,
            Lookup::Intersection(parts) | Lookup::Union(parts) => parts.iter().any(looks_up),
            _ => false,
        }
    }
    // An order that leaves a part of the filter to the items counts as not served.
    match access.order {
        OrderAccess::Composite { serves_filter, .. } => serves_filter,
        _ => looks_up(&access.lookup),
    }
}

async fn filled(composites: &str) -> (Account, engine::ContainerLink) {
    let account = Account::new().await;
    let link = account.container(container(&policy(composites))).await;
    for number in 0..30 {
        let qty = if number % 7 == 0 { String::new() } else { format!(r#","qty":{}"#, number % 5) };
        let text = format!(
            r#"{{"id":"i{number}","pk":"p{}","name":"n{}","ts":{}{qty}}}"#,
            number % 3,
            number % 2,
            (number * 7) % 13
        );
        create(&account.engine, &link, json(&text)).await;
    }
    (account, link)
}

#[tokio::test]
async fn a_composite_index_serves_what_the_table_says() {
    for (composites, text, is_used) in TABLE {
        let (account, link) = filled(composites).await;
        let query = QueryItems::new(link.clone(), *text);
        match account.engine.explain_query(query).await {
            Ok(explained) => {
                let access = explained.value.access;
                assert_eq!(uses_composite(&access), *is_used, "({composites}) {text}: {access:?}");
            }
            Err(error) => {
                assert!(!is_used && text.contains(", c."), "({composites}) {text}: {error}");
                continue;
            }
        }
        let (naive, plain) = filled("pk A, other A").await;
        if text.contains(", c.") {
            continue;
        }
        let found = rows(&account.engine, &link, text).await;
        let expected = rows(&naive.engine, &plain, text).await;
        if text.contains("VALUE") {
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(found.len(), expected.len(), "{text}");
    }
}
