//! The index against a naive run over all items: the same rows, in pages of any size, on one partition and on several.

use engine::operation::{ListItems, PageOptions, SplitPartition};
use engine::query::QueryItems;
use engine::{ContainerLink, Engine};
use model::{FeedRange, Json};
use query::function::UtcDateTime;
use query::{
    BuiltInFunctions, EvaluationContext, Parameters, QueryExecutor, bind, parse, row_text,
};

use super::ask::{create, rows_in_pages};
use crate::account::{Account, container, json};

const POLICY: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
    "indexingPolicy":{"indexingMode":"consistent","automatic":true,
        "includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/hidden/*"}],
        "compositeIndexes":[
            [{"path":"/a","order":"ascending"},{"path":"/b","order":"ascending"}],
            [{"path":"/a","order":"ascending"},{"path":"/b","order":"descending"}],
            [{"path":"/s","order":"descending"},{"path":"/a","order":"ascending"},
             {"path":"/b","order":"ascending"}]]}}"#;

/// Items of all shapes: values of every kind, absent ones, nested ones, long strings that share their beginning.
fn items() -> Vec<Json> {
    let long = "x".repeat(1500);
    let kinds = [
        "1".to_owned(),
        "2".to_owned(),
        "2.5".to_owned(),
        "-3".to_owned(),
        "null".to_owned(),
        "true".to_owned(),
        "false".to_owned(),
        r#""apple""#.to_owned(),
        r#""apricot""#.to_owned(),
        r#""banana""#.to_owned(),
        r#""""#.to_owned(),
        "[1,2]".to_owned(),
        "[]".to_owned(),
        r#"{"d":1}"#.to_owned(),
        "9007199254740993".to_owned(),
        "9007199254740992".to_owned(),
        format!("\"{long}b\""),
        format!("\"{long}a\""),
        format!("\"{long}\""),
        r#""\uE000""#.to_owned(),
        r#""𐀀""#.to_owned(),
    ];
    let mut items = Vec::new();
    for number in 0..60_usize {
        let a = &kinds[number % kinds.len()];
        let s = &kinds[(number * 5 + 3) % 10];
        let b = number % 7;
        let mut text = format!(
            r#"{{"id":"i{number}","pk":"p{}","b":{b},"n":{{"m":{}}}"#,
            number % 5,
            number % 4
        );
        if number % 6 != 0 {
            text += &format!(r#","a":{a}"#);
        }
        if number % 3 != 1 {
            text += &format!(r#","s":{s}"#);
        }
        text += &format!(
            r#","tags":[{},{},"t{}"],"hidden":{}}}"#,
            number % 3,
            number % 4,
            number % 2,
            number % 5
        );
        items.push(json(&text));
    }
    items
}

async fn all_items(engine: &Engine, link: &ContainerLink) -> Vec<Json> {
    let (mut items, mut continuation) = (Vec::new(), None);
    loop {
        let list = ListItems {
            container: link.clone(),
            feed_range: FeedRange::Container,
            page: PageOptions { items_max: None, continuation },
            options: Default::default(),
        };
        let page = engine.list_items(list).await.unwrap().value;
        items.extend(page.items.iter().map(|item| item.to_json()));
        continuation = page.continuation;
        if continuation.is_none() {
            return items;
        }
    }
}

fn naive(items: &[Json], text: &str) -> Vec<String> {
    let tree = parse(text).unwrap();
    let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
    let context = EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap());
    let mut executor = QueryExecutor::new(&bound, context);
    for item in items {
        executor.push(item).unwrap();
    }
    let rows = executor.finish().unwrap();
    rows.iter().map(|row| row_text(row).unwrap()).collect()
}

/// Rows whose order the query leaves open are compared sorted; the key `k` of ordered rows must follow the naive order.
fn is_same(text: &str, found: &[String], expected: &[String]) -> bool {
    let mut sorted = (found.to_vec(), expected.to_vec());
    sorted.0.sort();
    sorted.1.sort();
    let keys = |rows: &[String]| -> Vec<Option<Json>> {
        rows.iter().map(|row| json(row).get("k").cloned()).collect()
    };
    sorted.0 == sorted.1 && (!text.contains("AS k") || keys(found) == keys(expected))
}

const FILTERS: &[&str] = &[
    "true",
    "c.a = 1",
    "c.a = 2.5",
    "c.a = null",
    "c.a != 1",
    "c.a > 1",
    "c.a >= 'apple'",
    "c.a < 'b'",
    "c.a IN (1, 'apple', true)",
    "STARTSWITH(c.a, 'ap')",
    "NOT IS_DEFINED(c.a)",
    "IS_DEFINED(c.a)",
    "IS_STRING(c.a)",
    "CONTAINS(c.a, 'an')",
    "ENDSWITH(c.a, 'a')",
    "c.a LIKE '%p%'",
    "REGEXMATCH(c.a, '^a.*t$')",
    "c.a = [1,2]",
    "c.a = {'d': 1}",
    "c.a = 9007199254740993",
    "c.a = 1 AND c.b = 0",
    "c.a > 0 AND c.b > 3",
    "c.a = 1 OR c.b = 2",
    "c.b = 2 AND c.n.m = 1",
    "c.b = 2 AND c.s > 'a'",
    "ARRAY_CONTAINS(c.tags, 1)",
    "ARRAY_CONTAINS(c.tags, 't1')",
    "EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t > 1)",
    "c.hidden = 3",
    "c.hidden = 3 AND c.b = 1",
    "c.hidden = 3 OR c.b = 1",
    "c.pk = 'p1'",
    "c.pk = 'p1' AND c.b > 2",
    "c.pk IN ('p1', 'p3') AND c.a > 1",
    "c.pk = 'p1' AND c.pk = 'p2'",
    "c.n.m = 2",
    "c.n.m >= 1 AND c.n.m < 3",
    "c.s = 1 AND c.a = 2 AND c.b > 1",
    "(c.a = 1 OR c.b = 2) AND (c.n.m = 0 OR c.n.m = 1)",
    "NOT (c.a = 1)",
    "c.b BETWEEN 2 AND 4",
    "LENGTH(c.a) > 100",
    "c.a = 'apple' AND c.b != 3",
];

const SELECTS: &[&str] = &[
    "SELECT VALUE c.id FROM c WHERE {}",
    "SELECT c.id, c.a AS k FROM c WHERE {} ORDER BY c.a",
    "SELECT c.id, c.a AS k FROM c WHERE {} ORDER BY c.a DESC",
    "SELECT c.id, c.n.m AS k FROM c WHERE {} ORDER BY c.n.m DESC",
    "SELECT VALUE COUNT(1) FROM c WHERE {}",
    "SELECT VALUE COUNT(c.a) FROM c WHERE {}",
    "SELECT VALUE MIN(c.b) FROM c WHERE {}",
    "SELECT VALUE MAX(c.a) FROM c WHERE {}",
    "SELECT DISTINCT c.a FROM c WHERE {}",
    "SELECT DISTINCT VALUE c.b FROM c WHERE {}",
    "SELECT c.a, COUNT(1) AS n FROM c WHERE {} GROUP BY c.a",
    "SELECT c.b, c.n.m, SUM(c.b) AS n FROM c WHERE {} GROUP BY c.b, c.n.m",
    "SELECT c.id, t FROM c JOIN t IN c.tags WHERE {}",
    "SELECT VALUE AVG(c.b) FROM c WHERE {}",
    "SELECT c.id, c.a AS k FROM c WHERE {} ORDER BY c.a, c.b",
    "SELECT c.id, c.s AS k FROM c WHERE {} ORDER BY c.s DESC, c.a, c.b",
];

async fn check_all(account: &Account, link: &ContainerLink, sizes: &[usize]) {
    let items = all_items(&account.engine, link).await;
    let mut differing = Vec::new();
    for select in SELECTS {
        for filter in FILTERS {
            let text = select.replace("{}", &format!("({filter})"));
            let expected = naive(&items, &text);
            for size in sizes {
                let query = QueryItems::new(link.clone(), text.clone());
                let (found, _) = rows_in_pages(&account.engine, &query, *size).await;
                if !is_same(&text, &found, &expected) {
                    differing
                        .push(format!("{text} in pages of {size}\n  {found:?}\n  {expected:?}"));
                }
            }
        }
    }
    assert!(differing.is_empty(), "{} differ\n{}", differing.len(), differing.join("\n"));
}

async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(container(POLICY)).await;
    for item in items() {
        create(&account.engine, &link, item).await;
    }
    (account, link)
}

#[tokio::test]
async fn the_index_gives_the_rows_of_a_naive_run_on_one_partition() {
    let (account, link) = filled().await;
    check_all(&account, &link, &[3, 1000]).await;
}

#[tokio::test]
async fn the_index_gives_the_rows_of_a_naive_run_on_several_partitions() {
    let (account, link) = filled().await;
    for partition in [0, 1, 2] {
        let split = SplitPartition { container: link.clone(), partition, at: None };
        account.engine.split_partition(split).await.unwrap();
    }
    check_all(&account, &link, &[4, 1000]).await;
}
