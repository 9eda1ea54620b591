//! Injected faults, and metrics that show what happened.

use std::sync::Arc;

use gateway::{FaultRules, TestControl};

use crate::client::Server;

const CONTAINER: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;

/// A server with the container `d/c` whose faults are these from then on.
async fn server(faults: &str) -> Server {
    let rules = Arc::new(FaultRules::default());
    let shared = Arc::clone(&rules);
    let server = Server::with(move |settings| {
        settings.faults = Some(shared);
        settings.test_control = Some(TestControl::new());
    })
    .await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    server.post("/dbs/d/colls", CONTAINER).send().await.expect(201);
    server.post("/_planisphere/test/faults", faults).unsigned().send().await.expect(200);
    server
}

fn create<'a>(server: &'a Server, id: &str) -> crate::client::Call<'a> {
    let call = server.post("/dbs/d/colls/c/docs", &format!(r#"{{"id":"{id}","pk":"p"}}"#));
    call.with("x-ms-documentdb-partitionkey", r#"["p"]"#)
}

#[tokio::test]
async fn a_rule_fails_its_operation_and_no_other() {
    let server =
        server(r#"[{"operation":"create","status":429,"count":2,"retryAfterMs":33}]"#).await;
    for _ in 0..2 {
        let refused = create(&server, "1").send().await;
        refused.refused(429, Some("3200"), "was injected");
        assert_eq!(refused.header("x-ms-retry-after-ms"), Some("33"));
    }
    server.get("/dbs/d").send().await.expect(200);
    create(&server, "1").send().await.expect(201);
}

#[tokio::test]
async fn a_fault_may_come_after_the_operation() {
    let server = server(r#"{"operation":"create","status":408,"count":1,"applied":true}"#).await;
    create(&server, "1").send().await.refused(408, Some("0"), "was injected");
    create(&server, "1").send().await.refused(409, None, "");
}

#[tokio::test]
async fn probabilities_follow_the_randomness_of_the_environment() {
    let server = server(r#"{"operation":"create","status":449,"probability":0.5}"#).await;
    let mut failed = 0;
    for number in 0..40 {
        failed += u32::from(create(&server, &number.to_string()).send().await.status == 449);
    }
    assert!((5..=35).contains(&failed), "{failed} of 40");
}

#[tokio::test]
async fn rules_that_make_no_sense_are_refused() {
    let server = server("[]").await;
    let call = server.post("/_planisphere/test/faults", r#"{"status":200}"#).unsigned();
    call.send().await.refused(400, None, "none of 408");
}

#[tokio::test]
async fn metrics_name_containers_with_what_they_hold_and_cost() {
    let server = server("[]").await;
    create(&server, "1").send().await.expect(201);
    let text = server.get("/metrics").unsigned().send().await.expect(200).text();
    for line in [
        r#"planisphere_container_items{database="d",container="c"} 1"#,
        r#"planisphere_container_partitions{database="d",container="c"} 1"#,
        r#"planisphere_container_requests_total{database="d",container="c",operation="create"} 1.0"#,
        r#"planisphere_container_throttled_total{database="d",container="c",operation="create"} 0.0"#,
        r#"planisphere_background_work_total{kind="rounds"} "#,
        "planisphere_request_duration_microseconds_count ",
        "planisphere_read_only 0",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line}\n{text}");
    }
    let charged =
        text.lines().find_map(|line| line.strip_prefix("planisphere_request_units_total "));
    assert!(charged.unwrap().parse::<f64>().unwrap() > 5.0, "{text}");
}

#[tokio::test]
async fn metrics_of_a_server_with_its_own_key_name_no_container() {
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let server = Server::with(|settings| {
        settings.key = gateway::AccountKey::parse(key).unwrap();
    })
    .await;
    let properties = model::DatabaseProperties { id: model::DatabaseId::new("secret").unwrap() };
    let create = engine::operation::CreateDatabase { properties, throughput: None };
    server.engine.create_database(create).await.unwrap();
    let text = server.get("/metrics").unsigned().send().await.expect(200).text();
    assert!(text.contains("planisphere_uptime_seconds") && !text.contains("container"), "{text}");
}
