//! WB-A14: no user reads or changes what is in a world of another: every route of the document, with every id of that
//! world, and without a token.

use client::Query;
use serde_json::{Value, json};

use crate::stage::{Embedded, Stage, eldoria};

/// What a route does for a caller who names the world of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It concerns only the caller, and responds with one of these.
    Own(&'static [u16]),
    /// It names something, and finds only what is the caller's.
    Finds,
    /// It needs no caller, says nothing of anybody, and responds with one of these.
    Open(&'static [u16]),
}

/// Every route by its method and path in the document: a route that is not here fails the tests.
const ROUTES: [(&str, Does); 39] = [
    ("DELETE /api/v1/schemas/{schema}", Does::Finds),
    ("DELETE /api/v1/worlds/{world}", Does::Finds),
    ("DELETE /api/v1/worlds/{world}/deleted/{entity}", Does::Finds),
    ("DELETE /api/v1/worlds/{world}/entities/{entity}", Does::Finds),
    ("GET /api/config/access-status", Does::Open(&[200])),
    ("GET /api/v1/entity-types", Does::Own(&[200])),
    ("GET /api/v1/schemas", Does::Own(&[200])),
    ("GET /api/v1/schemas/{schema}", Does::Finds),
    ("GET /api/v1/schemas/{schema}/json-schema", Does::Finds),
    ("GET /api/v1/worlds", Does::Own(&[200, 400])),
    ("GET /api/v1/worlds/{world}", Does::Finds),
    ("GET /api/v1/worlds/{world}/delete-operations", Does::Finds),
    ("GET /api/v1/worlds/{world}/delete-operations/{operation}", Does::Finds),
    ("GET /api/v1/worlds/{world}/deleted", Does::Finds),
    ("GET /api/v1/worlds/{world}/entities", Does::Finds),
    ("GET /api/v1/worlds/{world}/entities/{entity}", Does::Finds),
    ("GET /api/v1/worlds/{world}/entities/{entity}/children", Does::Finds),
    ("GET /api/v1/worlds/{world}/entities/{entity}/children/count", Does::Finds),
    ("GET /api/v1/worlds/{world}/events", Does::Finds),
    ("GET /api/v1/worlds/{world}/export", Does::Finds),
    ("GET /api/v1/worlds/{world}/hierarchy", Does::Finds),
    ("GET /api/v1/worlds/{world}/search", Does::Finds),
    ("GET /session", Does::Own(&[200])),
    ("GET /session/callback", Does::Open(&[404])),
    ("GET /session/methods", Does::Open(&[200])),
    ("GET /session/oidc", Does::Open(&[404])),
    ("GET /session/sign-in", Does::Open(&[401])),
    ("PATCH /api/v1/worlds/{world}/entities/{entity}", Does::Finds),
    ("POST /api/v1/schemas", Does::Own(&[201, 400, 409])),
    ("POST /api/v1/schemas/{schema}/validate", Does::Finds),
    ("POST /api/v1/worlds", Does::Own(&[201, 400])),
    ("POST /api/v1/worlds/import", Does::Own(&[400])),
    ("POST /api/v1/worlds/{world}/delete-operations/{operation}/retry", Does::Finds),
    ("POST /api/v1/worlds/{world}/deleted/{entity}/restore", Does::Finds),
    ("POST /api/v1/worlds/{world}/entities", Does::Finds),
    ("POST /api/v1/worlds/{world}/entities/{entity}/move", Does::Finds),
    ("POST /api/v1/worlds/{world}/restore", Does::Finds),
    ("POST /session", Does::Own(&[200])),
    ("POST /session/sign-out", Does::Own(&[204])),
];

/// Routes of both kinds that are not in the list above, because one path has several methods.
const MORE: [(&str, Does); 3] = [
    ("PUT /api/v1/schemas/{schema}", Does::Finds),
    ("PUT /api/v1/worlds/{world}", Does::Finds),
    ("PUT /api/v1/worlds/{world}/entities/{entity}", Does::Finds),
];

/// One call of a documented route.
#[derive(Clone, Debug)]
struct Call {
    does: Does,
    method: String,
    path: String,
    body: Option<Value>,
}

/// A stage on which ann has one thing of each kind, and their ids.
async fn stage_with_ann() -> (Stage, Vec<String>) {
    let stage = Stage::new::<Embedded>().await;
    let (world, [arcanis, _, silverwood, elara]) = eldoria(&stage).await;
    let schema = json!({ "id": "anns-schema", "Name": "secret-schema", "EntityType": "Note" });
    assert_eq!(stage.post("/api/v1/schemas", schema).await.status, 201);
    stage.work().await;
    let path = format!("{world}/entities/{silverwood}?cascade=true");
    let operation = stage.call("ann", "DELETE", &path, None).await;
    stage.work().await;
    let mut ids = vec![world.rsplit('/').next().unwrap().to_owned(), arcanis, elara];
    ids.push(operation.data()["id"].as_str().unwrap().to_owned());
    ids.push("anns-schema".to_owned());
    (stage, ids)
}

/// Everything that ann has, as one text.
async fn everything_of_ann(stage: &Stage, world: &str) -> String {
    let containers = stage.system.containers();
    let mut all = String::new();
    for container in [
        &containers.entities,
        &containers.metadata,
        &containers.deleted,
        &containers.operations,
        &containers.schemas,
    ] {
        let query = Query::text("SELECT * FROM c WHERE c.WorldId = @world OR c.id = 'anns-schema'")
            .parameter("@world", world)
            .fan_out("a test compares");
        let mut rows = container.query::<Value>(&query).await.unwrap().value;
        rows.sort_by_key(|row| row["id"].as_str().unwrap_or_default().to_owned());
        all.push_str(&Value::from(rows).to_string());
    }
    all
}

/// Every documented route, with each of these ids as each path variable and each parameter.
async fn calls(stage: &Stage, ids: &[String]) -> Vec<Call> {
    let document = stage.call("bob", "GET", "/openapi.json", None).await.body;
    let mut known: Vec<_> = ROUTES.iter().chain(&MORE).copied().collect();
    known.sort_by_key(|(route, _)| *route);
    let mut calls = Vec::new();
    let mut documented = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method = method.to_uppercase();
            let route = format!("{method} {path}");
            let found = known.iter().find(|(known, _)| *known == route);
            let does =
                found.unwrap_or_else(|| panic!("'{route}' is a route without a case here")).1;
            let body = body(&route);
            let required = if route.ends_with("/search") { "?q=elara" } else { "" };
            for spelled in spelled(path, ids) {
                let path = format!("{spelled}{required}");
                let (method, body) = (method.clone(), body.clone());
                calls.push(Call {
                    does,
                    method: method.clone(),
                    path: path.clone(),
                    body: body.clone(),
                });
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    if parameter["in"] == "query" {
                        let name = parameter["name"].as_str().unwrap();
                        let sign = if path.contains('?') { '&' } else { '?' };
                        let path = format!("{path}{sign}{name}={}", ids.last().unwrap());
                        calls.push(Call { does, method: method.clone(), path, body: body.clone() });
                    }
                }
            }
            documented.push(route);
        }
    }
    documented.sort();
    let known: Vec<_> = known.iter().map(|(route, _)| *route).collect();
    assert_eq!(documented, known, "the cases are those of the document");
    calls
}

/// A path with each id as its variables.
fn spelled(path: &str, ids: &[String]) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let after = rest.split_once('}').unwrap().1;
    let with = |id: &String| spelled(&format!("{before}{id}{after}"), ids);
    ids.iter().flat_map(with).collect()
}

/// A valid body for a route.
fn body(route: &str) -> Option<Value> {
    let note = json!({ "entityType": "Note", "name": "Mine" });
    match route.split_once(' ').unwrap() {
        (_, path) if path.starts_with("/session") => None,
        ("POST" | "PUT", path) if path.contains("/schemas") && !path.ends_with("/validate") => {
            Some(json!({ "id": "bobs-schema", "Name": "Bobs", "EntityType": "Note" }))
        }
        ("POST", path) if path.ends_with("/entities") => Some(note),
        ("PUT", path) if path.contains("/entities/") => Some(note),
        ("POST", path) if path.ends_with("/move") => Some(json!({ "newParentId": "x" })),
        ("POST", "/api/v1/worlds") => Some(json!({ "name": "Bobs" })),
        ("POST" | "PUT" | "PATCH", _) => Some(json!({})),
        _ => None,
    }
}

#[tokio::test]
async fn wb_a14_no_route_shows_or_changes_what_is_another_users() {
    let (stage, ids) = stage_with_ann().await;
    let before = everything_of_ann(&stage, &ids[0]).await;
    let calls = calls(&stage, &ids).await;
    assert!(calls.len() > 300, "{}", calls.len());
    for call in &calls {
        let answer = stage.call("bob", &call.method, &call.path, call.body.clone()).await;
        let is_right = match call.does {
            // A filter that is not valid is refused before anything is looked for.
            Does::Finds => {
                answer.status == 404 || (call.path.contains('?') && answer.status == 400)
            }
            Does::Own(statuses) | Does::Open(statuses) => statuses.contains(&answer.status),
        };
        assert!(is_right, "{call:?}: {} {}", answer.status, answer.body);
        let text = answer.body.to_string();
        for secret in ["Elara", "Silverwood", "Arcanis", "Eldoria", "secret-schema"] {
            assert!(!text.contains(secret), "{call:?} reveals '{secret}': {text}");
        }
    }
    assert_eq!(everything_of_ann(&stage, &ids[0]).await, before);
}

#[tokio::test]
async fn wb_a14_without_a_token_only_open_routes_answer() {
    let (stage, ids) = stage_with_ann().await;
    let before = everything_of_ann(&stage, &ids[0]).await;
    for call in calls(&stage, &ids[..1]).await {
        let answer = stage.site.call(None, &call.method, &call.path, call.body.clone(), &[]).await;
        match call.does {
            Does::Open(statuses) => assert!(statuses.contains(&answer.status), "{call:?}"),
            _ => assert_eq!(answer.status, 401, "{call:?}: {}", answer.body),
        }
    }
    assert_eq!(everything_of_ann(&stage, &ids[0]).await, before);
}
