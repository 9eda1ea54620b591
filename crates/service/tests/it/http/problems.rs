//! Error responses.

use std::time::Duration;

use axum::http::Method;
use client::{
    Account, Container, Fault, Faults, PartitionKeyDefinition, RetryPolicy, StorageLocation,
};
use serde::{Deserialize, Serialize};
use service::http::{
    HttpResult, JsonBody, OpenApiRouter, PathParams, Problem, QueryParams, routes,
};
use utoipa::ToSchema;

use crate::fixture::Fixture;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Note {
    text: String,
    lines: Option<Vec<u32>>,
}

#[derive(Deserialize)]
struct Filter {
    limit: Option<u32>,
}

#[utoipa::path(post, path = "/notes", request_body = Note, responses((status = 200, body = Note)))]
async fn create(JsonBody(note): JsonBody<Note>) -> JsonBody<Note> {
    JsonBody(note)
}

#[utoipa::path(get, path = "/notes/{id}", params(("id" = u32, Path)), responses((status = 200)))]
async fn read(
    PathParams(id): PathParams<u32>,
    QueryParams(filter): QueryParams<Filter>,
) -> HttpResult<String> {
    match id {
        1 => panic!("the secret cause"),
        2 => Err(Problem::internal("the secret cause")),
        3 => Err(Problem::conflict("taken", "It is taken.")
            .member("owner", "ann")
            .field("a.b", "c", "d")),
        _ => Ok(format!("{id} {:?}", filter.limit)),
    }
}

fn fixture() -> Fixture {
    let http = service::http::HttpSettings { body_bytes_max: 1024, ..Default::default() };
    let identity = service::identity::IdentitySettings::demo();
    Fixture::with(http, &identity, |_| {
        OpenApiRouter::new().routes(routes!(create)).routes(routes!(read))
    })
}

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn invalid_requests_are_reported_by_code() {
    let fixture = fixture();
    let big = format!("{{\"text\":\"{}\"}}", "x".repeat(2000));
    for (method, path, headers, body, status, code) in [
        (Method::GET, "/nothing", &[][..], "", 404, "no_such_route"),
        (Method::DELETE, "/notes", &[], "", 405, "method_not_allowed"),
        (Method::POST, "/notes", &[], "{}", 415, "unsupported_media_type"),
        (
            Method::POST,
            "/notes",
            &[("content-type", "text/plain")],
            "{}",
            415,
            "unsupported_media_type",
        ),
        (Method::POST, "/notes", &[JSON], "{", 400, "invalid_body"),
        (Method::POST, "/notes", &[JSON], "{}", 400, "invalid_body"),
        (Method::POST, "/notes", &[JSON], &big, 413, "body_too_large"),
        (Method::GET, "/notes/x", &[], "", 400, "invalid_path"),
        (Method::GET, "/notes/%ff", &[], "", 400, "invalid_path"),
        (Method::GET, "/notes/9?limit=-1", &[], "", 400, "invalid_query"),
    ] {
        let answer = fixture.ask(method, path, headers, body).await;
        assert_eq!(answer.problem(), (status, code.to_owned()), "{path} {body}");
    }
    let answer = fixture.ask(Method::POST, "/notes", &[JSON], "{\"text\":\"a\"}").await;
    assert_eq!(
        (answer.status.as_u16(), answer.text.as_str()),
        (200, "{\"text\":\"a\",\"lines\":null}")
    );
}

#[tokio::test]
async fn a_misfit_names_its_property() {
    let answer = fixture()
        .ask(Method::POST, "/notes", &[JSON], "{\"text\":\"a\",\"lines\":[1,\"x\"]}")
        .await;
    let error = &answer.json()["errors"][0];
    assert_eq!(error["field"], "lines[1]", "{answer:?}");
    assert!(error["message"].as_str().unwrap().contains("expected u32"));
}

#[tokio::test]
async fn a_panic_and_an_internal_failure_reveal_no_cause() {
    let fixture = fixture();
    for id in [1, 2] {
        let answer = fixture.get(&format!("/notes/{id}"), &[]).await;
        assert_eq!(answer.problem(), (500, "internal".to_owned()));
        assert!(!answer.text.contains("secret"), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_problem_carries_members_and_fields() {
    let answer = fixture().get("/notes/3", &[("x-request-id", "mine-1")]).await;
    assert_eq!(answer.problem(), (409, "taken".to_owned()));
    let json = answer.json();
    assert_eq!(
        (&json["owner"], &json["type"], &json["title"]),
        (&"ann".into(), &"about:blank".into(), &"Conflict".into())
    );
    assert_eq!(json["requestId"], "mine-1");
    assert_eq!(json["errors"], serde_json::json!([{"field": "a.b", "code": "c", "message": "d"}]));
}

#[tokio::test]
async fn safe_request_ids_are_echoed_and_others_replaced() {
    let fixture = fixture();
    assert_eq!(
        fixture.get("/notes/9", &[("x-request-id", "a.b-1")]).await.header("x-request-id"),
        "a.b-1"
    );
    for insane in ["a b", "<script>", &"x".repeat(65)] {
        let answer = fixture.get("/notes/9", &[("x-request-id", insane)]).await;
        let made = answer.header("x-request-id");
        assert!(made.len() == 32 && made != insane, "{made}");
    }
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let fixture = fixture();
    for path in ["/notes/9", "/nothing", "/notes/1", "/healthz"] {
        let answer = fixture.get(path, &[]).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert!(answer.header("content-security-policy").contains("default-src 'none'"));
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

async fn notes() -> (Account, Container) {
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    let database = account.database("d").unwrap();
    database.create_if_missing(None).await.unwrap();
    let notes = database.container("notes").unwrap();
    let key = PartitionKeyDefinition::single("/owner").unwrap();
    notes.create_if_missing(notes.properties(key), None).await.unwrap();
    (account, notes)
}

#[tokio::test]
async fn failures_of_the_store_become_problems() {
    let (account, notes) = notes().await;
    let key = "ann".into();
    let item = serde_json::json!({"id": "1", "owner": "ann"});
    let report = |error: client::Error| {
        let problem = Problem::from(error);
        (problem.status().as_u16(), problem.code())
    };
    let missing = notes.read::<serde_json::Value>(&key, "none").await.unwrap_err();
    assert_eq!(report(missing), (404, "not_found"));
    notes.create(&key, &item).await.unwrap();
    assert_eq!(report(notes.create(&key, &item).await.unwrap_err()), (409, "conflict"));
    let stale = client::EntityTag::from_text("\"stale\"");
    let refused = notes.replace(&key, &item, Some(&stale)).await.unwrap_err();
    assert_eq!(report(refused), (412, "precondition_failed"));
    let huge = serde_json::json!({"id": "2", "owner": "ann", "text": "x".repeat(3 << 20)});
    assert_eq!(report(notes.create(&key, &huge).await.unwrap_err()), (413, "too_large"));
    let wrong = serde_json::json!({"id": "a\\b", "owner": "ann"});
    assert_eq!(report(notes.create(&key, &wrong).await.unwrap_err()), (400, "bad_request"));
    let no_type = notes.read::<u32>(&key, "1").await.unwrap_err();
    assert_eq!(report(no_type), (500, "internal"));
    let faults = Faults::new();
    let faulty = account.with_faults(faults.clone()).with_retry_policy(RetryPolicy::NEVER);
    let notes = faulty.database("d").unwrap().container("notes").unwrap();
    let delay = Duration::from_millis(2500);
    for (fault, status, code) in [
        (Fault::Throttled { delay }, 503, "store_busy"),
        (Fault::Unavailable, 503, "store_unavailable"),
    ] {
        faults.next(fault);
        let failed = notes.read::<serde_json::Value>(&key, "1").await.unwrap_err();
        assert_eq!(report(failed), (status, code));
    }
    faults.next(Fault::Throttled { delay });
    let failed = notes.read::<serde_json::Value>(&key, "1").await.unwrap_err();
    let response = axum::response::IntoResponse::into_response(Problem::from(failed));
    assert_eq!(response.headers()["retry-after"], "3");
    faults.next_of("delete", Fault::LostResponse);
    faults.next_of("read", Fault::Unavailable);
    let failed = notes.delete(&key, "1", None).await.unwrap_err();
    assert_eq!(report(failed), (503, "outcome_unknown"));
}
