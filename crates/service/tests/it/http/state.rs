//! Etags between the store and callers.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use client::{Account, Container, PartitionKeyDefinition, StorageLocation};
use serde_json::{Value, json};
use service::http::{
    EtagHeader, IfMatch, IfNoneMatch, Json, OpenApiRouter, Outcome, not_modified, routes,
};

use crate::ground::Ground;

type Notes = Arc<Container>;

#[utoipa::path(get, path = "/note", responses((status = 200), (status = 304)))]
async fn read(State(notes): State<Notes>, known: IfNoneMatch) -> Outcome<Response> {
    let answer = notes.read::<Value>(&"ann".into(), "1").await?;
    match &answer.etag {
        Some(etag) if known.has(etag) => Ok(not_modified(etag)),
        _ => Ok((EtagHeader::of(&answer), Json(answer.value.value)).into_response()),
    }
}

#[utoipa::path(put, path = "/note", responses((status = 200), (status = 412), (status = 428)))]
async fn replace(
    State(notes): State<Notes>,
    state: IfMatch,
    Json(note): Json<Value>,
) -> Outcome<Response> {
    let answer = notes.replace(&"ann".into(), &note, state.etag()).await?;
    Ok((EtagHeader::of(&answer), Json(answer.value.value)).into_response())
}

#[utoipa::path(delete, path = "/note", responses((status = 200)))]
async fn delete(State(notes): State<Notes>, state: Option<IfMatch>) -> Outcome<String> {
    notes.delete(&"ann".into(), "1", state.as_ref().and_then(IfMatch::etag)).await?;
    Ok("gone".to_owned())
}

async fn ground() -> Ground {
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    let database = account.database("d").unwrap();
    database.create_if_missing(None).await.unwrap();
    let notes = database.container("notes").unwrap();
    let key = PartitionKeyDefinition::single("/owner").unwrap();
    notes.create_if_missing(notes.properties(key), None).await.unwrap();
    notes.create(&"ann".into(), &json!({"id": "1", "owner": "ann", "n": 0})).await.unwrap();
    let routes = OpenApiRouter::new().routes(routes!(read, replace, delete));
    Ground::new(move |_| routes.with_state(Arc::new(notes)))
}

#[tokio::test]
async fn a_write_needs_the_state_it_changes() {
    let ground = ground().await;
    let read = ground.get("/note", &[]).await;
    let etag = read.header("etag").to_owned();
    assert!(etag.starts_with('"') && etag.ends_with('"'), "{etag}");
    let body = r#"{"id":"1","owner":"ann","n":1}"#;
    let put = async |condition: Option<&str>| {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(condition.map(|text| ("if-match", text)));
        ground.ask(Method::PUT, "/note", &headers, body).await
    };
    assert_eq!(put(None).await.problem(), (428, "precondition_required".to_owned()));
    assert_eq!(put(Some("\"stale\"")).await.problem(), (412, "precondition_failed".to_owned()));
    assert_eq!(put(Some(&format!("W/{etag}"))).await.problem().0, 412);
    for wrong in ["stale", "\"a\", \"b\"", "", "*, \"a\""] {
        assert_eq!(put(Some(wrong)).await.problem(), (400, "invalid_header".to_owned()), "{wrong}");
    }
    let replaced = put(Some(&etag)).await;
    assert_eq!(replaced.status, 200);
    assert_ne!(replaced.header("etag"), etag);
    assert_eq!(put(Some(&etag)).await.status, 412);
    assert_eq!(put(Some("*")).await.status, 200);
}

#[tokio::test]
async fn a_reader_with_the_newest_state_gets_nothing_new() {
    let ground = ground().await;
    let etag = ground.get("/note", &[]).await.header("etag").to_owned();
    for known in [&etag, &format!("\"x\", W/{etag}"), "*"] {
        let answer = ground.get("/note", &[("if-none-match", known)]).await;
        assert_eq!((answer.status.as_u16(), answer.text.as_str()), (304, ""), "{known}");
        assert_eq!(answer.header("etag"), etag);
    }
    assert_eq!(ground.get("/note", &[("if-none-match", "\"x\"")]).await.status, 200);
}

#[tokio::test]
async fn a_condition_may_be_left_out_where_the_route_says_so() {
    let ground = ground().await;
    let stale = ground.ask(Method::DELETE, "/note", &[("if-match", "\"stale\"")], "").await;
    assert_eq!(stale.status, 412);
    assert_eq!(ground.ask(Method::DELETE, "/note", &[], "").await.status, 200);
}
