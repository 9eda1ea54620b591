//! Wrong input, over HTTP and from the source: an error of its own each, and nothing is changed.

use std::sync::Arc;

use client::Environment;
use secret_migration::{
    MigrationStatus, Platforms, RunScope, SecretBackend, SecretMigration, VaultClient,
    VaultSettings,
};
use serde_json::{Value, json};
use service::settings::Secret;

use crate::http::{CART, Site};
use crate::platforms::Script;
use crate::world::{CLUSTER, Embedded, OverGateway, Way, World, cluster};

/// A call, its status, the code of its problem, and what its text must name.
type Refused = (&'static str, String, Option<Value>, u16, &'static str, &'static str);

fn refused() -> Vec<Refused> {
    let workloads = "/v1/clusters/dev-1/workloads";
    let cart = |rest: &str| format!("{CART}{rest}");
    let text = |text: &str| Some(Value::String(text.to_owned()));
    let wave = |selector: Value| Some(json!({ "name": "w", "selector": selector }));
    vec![
        // Names with a colon, which would make two workloads share an id.
        ("GET", "/v1/clusters/a%3Ab/summary".to_owned(), None, 400, "invalid_fields", "a:b"),
        ("GET", format!("{workloads}/sh%3Aop/cart"), None, 400, "invalid_fields", "sh:op"),
        ("POST", format!("{workloads}/shop/ca%3Art/migrate"), None, 400, "invalid_fields", "ca:rt"),
        ("PUT", "/v1/clusters/a%3Ab/namespaces/x".to_owned(), mapping(), 400, "", "a:b"),
        ("POST", "/v1/plan".to_owned(), Some(json!({ "cluster": "a:b" })), 400, "", "a:b"),
        ("POST", "/v1/waves".to_owned(), wave(json!({ "cluster": "A:b" })), 400, "", "A:b"),
        // Unknown statuses and backends.
        ("GET", format!("{workloads}?status=DONE"), None, 400, "invalid_fields", "DONE"),
        ("GET", format!("{workloads}?backend=foo"), None, 400, "invalid_fields", "foo"),
        ("PATCH", cart(""), Some(json!({ "migrationStatus": "FAILED" })), 400, "", "FAILED"),
        ("PATCH", cart(""), Some(json!({ "secretBackend": "aws" })), 400, "", "aws"),
        ("PATCH", cart(""), Some(json!({ "colour": "red" })), 400, "", "colour"),
        ("PATCH", cart(""), text("no object"), 400, "", ""),
        ("GET", format!("{workloads}?cursor=xyz"), None, 400, "", ""),
        // Illegal moves of a pending workload.
        ("POST", cart("/rollback"), Some(json!({})), 409, "illegal_move", "PENDING"),
        ("PATCH", cart(""), Some(json!({ "migrationStatus": "MIGRATED" })), 409, "", "MIGRATED"),
        ("PATCH", cart(""), Some(json!({ "secretBackend": "smp" })), 409, "", "backend"),
    ]
}

fn mapping() -> Option<Value> {
    Some(json!({ "smpPath": "apps/x" }))
}

async fn wrong_requests<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    let before = world.workload(&key).await;
    let site = Site::on(world).await;
    for (method, path, body, status, code, names) in refused() {
        let (found, problem) = site.call("admin", method, &path, body).await;
        assert_eq!(found, status, "{method} {path}: {problem}");
        if !code.is_empty() {
            assert_eq!(problem["code"], code, "{method} {path}: {problem}");
        }
        assert!(problem.to_string().contains(names), "{method} {path}: {problem}");
        assert_eq!(site.world.workload(&key).await, before, "{method} {path}");
    }
    // Nor can a migrated one be migrated or tried again.
    site.world.run(CLUSTER).await;
    let before = site.world.workload(&key).await;
    for action in ["migrate", "retry"] {
        let (status, problem) = site.call("admin", "POST", &format!("{CART}/{action}"), None).await;
        assert_eq!((status, &problem["code"]), (409, &json!("illegal_move")), "{action}");
        assert!(problem.to_string().contains("MIGRATED"), "{problem}");
        assert_eq!(site.world.workload(&key).await, before, "{action}");
    }
    site.world.assert_sound(CLUSTER).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_request_has_its_own_error_and_changes_nothing() {
    wrong_requests::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_request_has_its_own_error_and_changes_nothing_over_our_gateway() {
    wrong_requests::<OverGateway>().await;
}

/// What a Vault answers to the first read of a workload, and what its error says. The answers hold a value that no
/// error, document or audit entry may repeat.
fn answers() -> Vec<(String, &'static str)> {
    let ok = |body: &str| format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let half = "HTTP/1.1 200 X\r\ncontent-length: 900\r\n\r\n{\"data\":{\"data\":{\"k\":\"hush";
    vec![
        (ok("<html>hush</html>"), "no JSON of the expected shape"),
        (half.to_owned(), "fails"),
        // The shape of the other version of the engine.
        (ok(r#"{"data":{"password":"hush"}}"#), "no JSON of the expected shape"),
        (ok(r#"{"data":{"data":"hush","metadata":{"version":1}}}"#), "answers what it must not"),
        (ok(""), "no JSON of the expected shape"),
        ("hush\r\n\r\n".to_owned(), "fails"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_that_answers_garbage_leaves_the_workload_where_it_was() {
    for (answer, expected) in answers() {
        let (world, key) = World::with_workload::<Embedded>().await;
        let script = Script::default();
        let settings = VaultSettings {
            address: script.serve().await,
            token: Secret::new("root"),
            ..VaultSettings::default()
        };
        let vault = VaultClient::open(settings, Environment::system()).unwrap();
        let platforms = Platforms {
            source: Arc::new(vault),
            target: Arc::new(world.target.clone()),
            rollout: Arc::new(world.restarts.clone()),
        };
        let settings = world.system.settings().clone();
        let environment = world.environment.clone();
        let system = SecretMigration::open(world.account.clone(), settings, environment, platforms);
        let system = system.await.unwrap();
        // A request that fails may be repeated: every repeat gets the same answer.
        for _ in 0..20 {
            script.raw(answer.clone());
        }
        let report = system.run_cluster(&cluster(CLUSTER), RunScope::All, "w").await.unwrap();
        let [(_, error)] = report.failed.as_slice() else { panic!("{answer}: {report:?}") };
        assert!(error.contains(expected), "{answer}: {error}");
        assert!(error.contains("cart/"), "the error names the path: {error}");
        let workload = world.workload(&key).await;
        let state = (workload.migration_status, workload.secret_backend, workload.attempts);
        assert_eq!(state, (MigrationStatus::Pending, SecretBackend::Hashi, 1), "{answer}");
        assert_eq!(workload.smp_secrets, None);
        assert_eq!(world.target.versions().len(), 0, "{answer}");
        let audit = system.audit(&cluster(CLUSTER), None, None).await.unwrap();
        assert!(!format!("{workload:?} {audit:?} {error}").contains("hush"), "{answer}");
        world.assert_sound(CLUSTER).await;
    }
}
