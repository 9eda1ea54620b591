//! Bounded evaluation: hostile queries and conditions end, share their turns, and hold up nobody else.

use std::sync::mpsc;
use std::time::Duration;

use engine::operation::{BatchOperation, PatchItem, WriteOptions};
use engine::query::{QueryItems, QueryLimits};
use engine::response::BatchResult;
use engine::{ContainerLink, Engine, EngineSettings, ErrorKind};
use model::PartitionKey;

use crate::account::{Account, container, plain, settings_without_maintenance};
use crate::query::ask::{page, rows};
use crate::verbs::{id, patch_of};

/// A product of four arrays: with a thousand elements it takes hours.
const HOSTILE: &str = "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr JOIN d IN c.arr \
                       JOIN e IN c.arr";

/// A condition that is false after a thousand million tuples.
const HOSTILE_CONDITION: &str = "FROM c WHERE EXISTS(SELECT VALUE a FROM a IN c.arr JOIN b IN c.arr \
                                 JOIN d IN c.arr WHERE a + b + d < 0)";

/// A condition that is true, but takes a million tuples: too many for the writer.
const LONG_CONDITION: &str = "FROM c WHERE (SELECT VALUE COUNT(1) FROM a IN c.arr JOIN b IN c.arr \
                              WHERE a = 999 AND b < 9) = 9";

/// Runs a test on a runtime of its own, so that a thread that never ends fails the test instead of blocking it.
#[expect(clippy::disallowed_methods, reason = "a hanging runtime cannot watch itself")]
fn watched<F: Future<Output = ()> + 'static>(test: impl FnOnce() -> F + Send + 'static) {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(test());
        // Evaluations that were cancelled must have ended, or this would wait for them.
        drop(runtime);
        sender.send(()).unwrap();
    });
    receiver.recv_timeout(Duration::from_secs(300)).expect("the test ends and does not panic");
}

async fn account(settings: EngineSettings) -> (Account, ContainerLink) {
    let account = Account::with_settings(settings).await;
    let link = account.container(plain("c")).await;
    let numbers: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
    let text = format!(r#"{{"id":"1","pk":"x","n":1,"arr":[{}]}}"#, numbers.join(","));
    account.create(&link, &text).await.unwrap();
    (account, link)
}

fn few_units(slices: u64) -> EngineSettings {
    let request_work_max = slices * ::query::SLICE_UNITS;
    EngineSettings { request_work_max, ..settings_without_maintenance() }
}

#[test]
fn a_query_without_rows_ends_with_a_timeout() {
    watched(|| async {
        let (account, link) = account(few_units(20)).await;
        for text in [
            HOSTILE,
            "SELECT VALUE a FROM c JOIN a IN c.arr JOIN b IN c.arr JOIN d IN c.arr WHERE a + b + d < 0",
            "SELECT VALUE s FROM (SELECT VALUE a FROM c JOIN a IN c.arr JOIN b IN c.arr WHERE a + b < 0) s",
            "SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE a FROM a IN c.arr JOIN b IN c.arr JOIN \
             d IN c.arr WHERE a + b + d < 0)",
        ] {
            let query = QueryItems::new(link.clone(), text);
            let error = page(&account.engine, &query, 10, None).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfTime, "{text}: {error}");
        }
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.n FROM c").await, ["1"]);
    });
}

#[test]
fn rows_that_exist_when_the_budget_ends_are_a_page_that_can_be_continued() {
    watched(|| async {
        let (account, link) = account(few_units(100)).await;
        // One row at the start of each million tuples; a page reaches one or two of them.
        let text = "SELECT VALUE a FROM c JOIN a IN c.arr JOIN b IN c.arr JOIN d IN c.arr WHERE b = 0 \
                    AND d = 0 AND a < 9";
        let query = QueryItems::new(link, text);
        let first = page(&account.engine, &query, 100, None).await.unwrap();
        assert!((1..9).contains(&first.rows.len()), "{:?}", first.rows);
        assert_eq!(first.rows[0], "0");
        // The next page must pass the same tuples first, and has no row to return then.
        let next = page(&account.engine, &query, 100, first.continuation).await;
        assert_eq!(next.unwrap_err().kind(), ErrorKind::OutOfTime);
    });
}

#[test]
fn an_item_that_needs_a_thread_returns_the_same_rows_page_by_page() {
    watched(|| async {
        let (account, link) = account(settings_without_maintenance()).await;
        let text = "SELECT VALUE [a, b] FROM c JOIN a IN c.arr JOIN b IN c.arr WHERE a % 100 = 7 AND b \
                    % 250 = 3";
        let query = QueryItems::new(link.clone(), text);
        let (mut found, mut continuation) = (Vec::new(), None);
        loop {
            let page = page(&account.engine, &query, 7, continuation).await.unwrap();
            found.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        let expected: Vec<String> = (0..10)
            .flat_map(|a| (0..4).map(move |b| format!("[{},{}]", 100 * a + 7, 250 * b + 3)))
            .collect();
        assert_eq!(found, expected);
        let text = "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr";
        assert_eq!(rows(&account.engine, &link, text).await, ["1000000"]);
    });
}

/// Waits until no evaluation is granted a slice any more.
async fn wait_until_idle(engine: &Engine) {
    let mut known = engine.evaluated_slices();
    let mut idle = 0;
    while idle < 5 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let slices = engine.evaluated_slices();
        idle = if slices == known { idle + 1 } else { 0 };
        known = slices;
    }
}

/// Waits until evaluations have been granted some more slices.
async fn wait_until_busy(engine: &Engine) {
    let begun = engine.evaluated_slices();
    while engine.evaluated_slices() < begun + 10 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[test]
fn hostile_callers_share_their_turns_with_others_and_stop_when_they_are_dropped() {
    watched(|| async {
        let settings = EngineSettings {
            request_work_max: u64::MAX,
            evaluations_at_once_max: 1,
            ..settings_without_maintenance()
        };
        let (account, link) = account(settings).await;
        let hostile: Vec<_> = (0..6)
            .map(|_| {
                let (engine, query) =
                    (account.engine.clone(), QueryItems::new(link.clone(), HOSTILE));
                tokio::spawn(async move { engine.query_items(query).await.map(|_| ()) })
            })
            .collect();
        wait_until_busy(&account.engine).await;
        // A query that is answered at once, a write, and a query that needs a turn among the hostile ones.
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.n FROM c").await, ["1"]);
        account.create(&link, r#"{"id":"2","pk":"x","n":2}"#).await.unwrap();
        let text =
            "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr WHERE a < 50 AND b < 2";
        assert_eq!(rows(&account.engine, &link, text).await, ["100"]);
        assert!(hostile.iter().all(|query| !query.is_finished()));
        hostile.iter().for_each(tokio::task::JoinHandle::abort);
        wait_until_idle(&account.engine).await;
        account.engine.close().await.unwrap();
    });
}

#[test]
fn more_callers_than_threads_wait_within_their_time() {
    watched(|| async {
        let settings = EngineSettings {
            request_work_max: u64::MAX,
            evaluation_threads_max: 1,
            ..settings_without_maintenance()
        };
        let (account, link) = account(settings).await;
        let (engine, query) = (account.engine.clone(), QueryItems::new(link.clone(), HOSTILE));
        let hostile = tokio::spawn(async move { engine.query_items(query).await.map(|_| ()) });
        wait_until_busy(&account.engine).await;
        let limits =
            QueryLimits { time_max: Some(Duration::from_millis(50)), ..QueryLimits::default() };
        let query = QueryItems { limits, ..QueryItems::new(link.clone(), HOSTILE) };
        let error = page(&account.engine, &query, 10, None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfTime);
        hostile.abort();
        wait_until_idle(&account.engine).await;
    });
}

#[test]
fn memory_that_all_queries_share_is_limited() {
    watched(|| async {
        let settings =
            EngineSettings { evaluation_memory_max: 1 << 20, ..settings_without_maintenance() };
        let (account, link) = account(settings).await;
        let text =
            "SELECT VALUE LENGTH(REPLACE(REPLICATE('x', 9999), 'x', REPLICATE('y', 999))) FROM c";
        let query = QueryItems::new(link.clone(), text);
        let error = page(&account.engine, &query, 10, None).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Throttled { .. }), "{error}");
        let text =
            "SELECT VALUE LENGTH(REPLACE(REPLICATE('x', 999), 'x', REPLICATE('y', 999))) FROM c";
        assert_eq!(rows(&account.engine, &link, text).await, ["998001"]);
    });
}

#[test]
fn a_query_over_values_in_memory_is_bounded() {
    watched(|| async {
        let (account, _) = account(few_units(20)).await;
        let value = crate::account::json(&format!(r#"{{"arr":[{}0]}}"#, "0,".repeat(999)));
        let (none, limits) = (engine::query::Parameters::new(), QueryLimits::default());
        let query = |text, value| account.engine.query_values(text, &none, vec![value], &limits);
        let error = query(HOSTILE, value.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfTime);
        let text = "SELECT VALUE ARRAY_LENGTH(c.arr) FROM c";
        assert_eq!(query(text, value).await.unwrap(), ["1000"]);
    });
}

#[test]
fn a_computed_property_is_part_of_the_budget() {
    watched(|| async {
        let account = Account::with_settings(few_units(20)).await;
        let hostile = "SELECT VALUE c.text LIKE c.pattern FROM c";
        let properties = container(&format!(
            r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}},
                "computedProperties":[{{"name":"product","query":"{hostile}"}}]}}"#
        ));
        let link = account.container(properties).await;
        // Two hundred million steps.
        let (text, pattern) = ("a".repeat(20_000), "a".repeat(10_000));
        let text = format!(r#"{{"id":"1","pk":"x","text":"{text}","pattern":"%{pattern}b"}}"#);
        // Writing it evaluates nothing.
        account.create(&link, &text).await.unwrap();
        for text in [
            "SELECT VALUE c.product FROM c",
            "SELECT VALUE c.id FROM c WHERE c.product = true",
            "SELECT VALUE c.id FROM c ORDER BY c.product",
        ] {
            let query = QueryItems::new(link.clone(), text);
            let error = page(&account.engine, &query, 10, None).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfTime, "{text}: {error}");
        }
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.id FROM c").await, [r#""1""#]);
    });
}

fn patch(link: &ContainerLink, condition: &str) -> PatchItem {
    PatchItem {
        container: link.clone(),
        partition_key: PartitionKey::from("x"),
        id: id("1"),
        patch: patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, Some(condition)),
        options: WriteOptions::default(),
    }
}

#[test]
fn a_long_patch_condition_does_not_hold_up_other_writes() {
    watched(|| async {
        let settings =
            EngineSettings { request_work_max: u64::MAX, ..settings_without_maintenance() };
        let (account, link) = account(settings).await;
        let (engine, hostile) = (account.engine.clone(), patch(&link, HOSTILE_CONDITION));
        let hostile = tokio::spawn(async move { engine.patch_item(hostile).await.map(|_| ()) });
        wait_until_busy(&account.engine).await;
        for number in 0..20 {
            let text = format!(r#"{{"id":"w{number}","pk":"x","n":2}}"#);
            account.create(&link, &text).await.unwrap();
        }
        account.engine.patch_item(patch(&link, "FROM c WHERE c.n = 1")).await.unwrap();
        assert!(!hostile.is_finished());
        hostile.abort();
        wait_until_idle(&account.engine).await;
        assert_eq!(
            rows(&account.engine, &link, "SELECT VALUE c.n FROM c WHERE c.id = '1'").await,
            ["2"]
        );
    });
}

#[test]
fn a_long_patch_condition_decides_about_the_version_that_is_written() {
    watched(|| async {
        let (account, link) = account(settings_without_maintenance()).await;
        account.engine.patch_item(patch(&link, LONG_CONDITION)).await.unwrap();
        let never = LONG_CONDITION.replace("= 9", "= 8");
        let error = account.engine.patch_item(patch(&link, &never)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PreconditionFailed);
        let hostile = patch(&link, HOSTILE_CONDITION);
        let absent = PatchItem { id: id("none"), ..hostile.clone() };
        let error = account.engine.patch_item(absent).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        // Many at once: each that succeeds has increased the number that all others must see.
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let (engine, patch) = (account.engine.clone(), patch(&link, LONG_CONDITION));
                tokio::spawn(async move { engine.patch_item(patch).await.is_ok() })
            })
            .collect();
        let mut written = 0;
        for task in tasks {
            written += u64::from(task.await.unwrap());
        }
        assert!(written >= 1);
        let counted = rows(&account.engine, &link, "SELECT VALUE c.n FROM c").await;
        assert_eq!(counted, [(2 + written).to_string()]);
        account.verify().await;
    });
}

#[test]
fn a_patch_condition_ends_with_its_work() {
    watched(|| async {
        let (account, link) = account(few_units(20)).await;
        let error = account.engine.patch_item(patch(&link, HOSTILE_CONDITION)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfTime);
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.n FROM c").await, ["1"]);
    });
}

#[test]
fn a_long_condition_in_a_batch_rolls_the_batch_back() {
    watched(|| async {
        let (account, link) = account(few_units(400)).await;
        let operation = |condition| BatchOperation::Patch {
            id: id("1"),
            patch: patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, Some(condition)),
            options: WriteOptions::default(),
        };
        let batch = |operations| engine::operation::TransactionalBatch {
            container: link.clone(),
            partition_key: PartitionKey::from("x"),
            operations,
        };
        // The second condition sees what the first operation wrote.
        let short = vec![operation("FROM c WHERE c.n = 1"), operation("FROM c WHERE c.n = 2")];
        let outcome = account.engine.transactional_batch(batch(short)).await.unwrap().value;
        assert!(matches!(outcome, BatchResult::Committed(_)));
        let long = vec![operation("FROM c WHERE c.n = 3"), operation(HOSTILE_CONDITION)];
        match account.engine.transactional_batch(batch(long)).await.unwrap().value {
            BatchResult::RolledBack { failed: 1, error, .. } => {
                assert_eq!(error.kind(), ErrorKind::OutOfTime);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.n FROM c").await, ["3"]);
        // A condition that is too long for the writer is evaluated outside of it, for what the first operation will
        // have written.
        let long = vec![operation("FROM c WHERE c.n = 3"), operation(LONG_CONDITION)];
        let outcome = account.engine.transactional_batch(batch(long)).await.unwrap().value;
        assert!(matches!(outcome, BatchResult::Committed(_)), "{outcome:?}");
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.n FROM c").await, ["5"]);
    });
}
