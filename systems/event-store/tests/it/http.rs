//! The routes: tenants by token, appends, reads, the feed, operators.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};
use service::http::openapi_mismatches;

use crate::site::{Site, answer};

fn event(name: &str, tags: &[&str]) -> Value {
    json!({ "type": name, "payload": { "a": 1 }, "tags": tags })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_and_the_routes_agree() {
    let site = Site::new().await;
    assert_eq!(openapi_mismatches(&site.router, &[]).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a4_the_token_names_the_tenant_whatever_the_body_says() {
    let site = Site::new().await;
    let mut body = json!({ "serviceId": "beta", "events": [event("Made", &["A:1"])] });
    body["events"][0]["serviceId"] = json!("beta");
    let (status, receipt) = site.post("alpha", "/api/v1/events", body).await;
    assert_eq!(status, 201);
    let id = receipt["events"][0]["id"].as_str().unwrap();
    let path = format!("/api/v1/events/{id}");
    let (status, found) = site.get("alpha", &path).await;
    assert_eq!((status, &found["eventType"]), (200, &json!("Made")));
    assert_eq!(found["executedUser"], "ann");
    assert!(found.get("serviceId").is_none(), "an event knows nothing of tenants");
    assert_eq!(site.get("beta", &path).await.0, 404);
    assert_eq!(site.get("beta", "/api/v1/events").await.1["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a5_each_refusal_has_its_own_answer() {
    let site = Site::new().await;
    let refused = [
        (json!({}), "service_id_missing"),
        (json!({ "service_id": null }), "service_id_missing"),
        (json!({ "service_id": "" }), "service_id_empty"),
        (json!({ "service_id": "Bad Id" }), "service_id_invalid"),
        (json!({ "service_id": 7 }), "service_id_invalid"),
    ];
    let body = json!({ "events": [event("Made", &[])] });
    for (claims, code) in refused {
        let token = site.token_with(claims);
        for (method, path) in [("GET", "/api/v1/events"), ("POST", "/api/v1/events")] {
            let (status, problem) = site.call(&token, method, path, Some(body.clone())).await;
            assert_eq!((status, &problem["code"]), (403, &json!(code)), "{method}");
        }
    }
    let without = site.request("POST", "/api/v1/events").json(&body).send().await.unwrap();
    assert_eq!(without.status().as_u16(), 401);
    let (status, _) = site.call("no.valid.token", "GET", "/api/v1/events", None).await;
    assert_eq!(status, 401);
    assert!(site.world.storage.admin.services().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conditions_and_keys_over_http() {
    let site = Site::new().await;
    let once =
        json!({ "events": [event("Made", &["A:1"])], "condition": { "tags": { "A:1": null } } });
    let (status, receipt) = site.post("alpha", "/api/v1/events", once.clone()).await;
    assert_eq!(status, 201);
    let version = receipt["tagWrites"][0]["sortableUniqueId"].clone();
    let (status, problem) = site.post("alpha", "/api/v1/events", once).await;
    assert_eq!((status, &problem["code"]), (409, &json!("conflict")));
    let conflict = json!([{ "tag": "A:1", "expected": null, "actual": version }]);
    assert_eq!(problem["conflicts"], conflict);
    let (_, page) = site.get("alpha", "/api/v1/events?tags=A:1&types=Made").await;
    let query = json!({ "items": [{ "types": ["Made"], "tags": ["A:1"] }] });
    let next = |position: &Value| {
        let condition = json!({ "failIfEventsMatch": query, "after": position });
        json!({ "events": [event("Made", &["A:1"])], "condition": condition })
    };
    let position = page["position"].clone();
    assert_eq!(site.post("alpha", "/api/v1/events", next(&position)).await.0, 201);
    assert_eq!(site.post("alpha", "/api/v1/events", next(&position)).await.0, 409);
    // A position is of one tenant.
    let (status, problem) = site.post("beta", "/api/v1/events", next(&position)).await;
    assert_eq!((status, &problem["code"]), (400, &json!("invalid_cursor")));
    let keyed = json!({ "events": [event("Paid", &["A:2"])], "idempotencyKey": "k" });
    let (first, receipt) = site.post("alpha", "/api/v1/events", keyed.clone()).await;
    let (second, again) = site.post("alpha", "/api/v1/events", keyed).await;
    assert_eq!((first, second), (201, 200));
    assert_eq!(receipt["events"], again["events"]);
    let other = json!({ "events": [event("Other", &["A:2"])], "idempotencyKey": "k" });
    let (status, problem) = site.post("alpha", "/api/v1/events", other).await;
    assert_eq!((status, &problem["code"]), (409, &json!("already_exists")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_input_has_its_own_answer_and_stores_nothing() {
    let site = Site::new().await;
    let large = json!({ "type": "Large", "payload": "x".repeat(2_000_000) });
    let wrong = [
        (json!({ "events": [] }), 400, "invalid_request"),
        (json!({ "events": [event("Made", &["no tag"])] }), 422, "invalid_tag"),
        (json!({ "events": [large] }), 413, "too_large"),
        (json!({ "events": [{ "type": "Made", "id": "7" }] }), 400, "invalid_request"),
        (json!({ "events": [event("Made", &[])], "condition": {} }), 400, "invalid_fields"),
        (
            json!({ "events": [event("Made", &[])], "condition": { "tags": { "A:1": "7" } } }),
            400,
            "invalid_fields",
        ),
        (
            json!({ "events": [event("Made", &[])],
                "condition": { "failIfEventsMatch": { "items": [{ "types": ["Made"] }] } } }),
            501,
            "unsupported",
        ),
    ];
    for (body, status, code) in wrong {
        let answer = site.post("alpha", "/api/v1/events", body).await;
        assert_eq!((answer.0, &answer.1["code"]), (status, &json!(code)), "{}", answer.1);
    }
    let huge = "x".repeat(5_000_000);
    // The server ends the connection before it has read all of the body, which a client may see before the response.
    let refused = loop {
        let request = site.request("POST", "/api/v1/events").bearer_auth(site.token("alpha"));
        let request = request.header("content-type", "application/json").body(huge.clone());
        if let Ok(response) = request.send().await {
            break answer(response).await;
        }
    };
    assert_eq!(refused.0, 413);
    for path in [
        "/api/v1/events?since=7",
        "/api/v1/events?limit=0",
        "/api/v1/events?limit=1001",
        "/api/v1/events/7",
        "/api/v1/events/stream?since=7",
    ] {
        assert_eq!(site.get("alpha", path).await.0, 400, "{path}");
    }
    assert_eq!(site.get("alpha", "/api/v1/tags/nothing").await.0, 422);
    assert_eq!(site.get("alpha", "/api/v1/tags/A:1").await.0, 404);
    assert_eq!(site.get("alpha", "/api/v1/tags/A:1/state/Nobody").await.0, 404);
    assert!(site.world.storage.admin.services().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_tags_and_states() {
    let site = Site::new().await;
    for number in 0..5 {
        let body = json!({ "events": [event("Made", &["A:1", &format!("B:{number}")])] });
        site.post("alpha", "/api/v1/events", body).await;
    }
    let mut found = Vec::new();
    let mut path = "/api/v1/events?limit=2".to_owned();
    loop {
        let (status, page) = site.get("alpha", &path).await;
        assert_eq!(status, 200);
        found.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/events?limit=2&since={next}");
        assert_eq!(site.get("beta", &path).await.0, 400, "a cursor is of one tenant");
    }
    assert_eq!(found.len(), 5);
    let (_, tags) = site.get("alpha", "/api/v1/tags?group=A").await;
    assert_eq!(tags["items"][0]["eventCount"], 5);
    let (_, one) = site.get("alpha", "/api/v1/tags/A:1").await;
    assert_eq!(one["lastSortableUniqueId"], found[4]["sortableUniqueId"]);
    let (_, history) = site.get("alpha", "/api/v1/tags/B:3/events").await;
    assert_eq!(history["items"], json!([found[3]]));
    let head = site.request("HEAD", "/api/v1/tags/A:1").bearer_auth(site.token("alpha"));
    let head = head.send().await.unwrap();
    assert_eq!(head.status().as_u16(), 200);
    let etag = format!("\"{}\"", found[4]["sortableUniqueId"].as_str().unwrap());
    assert_eq!(head.headers()["etag"].to_str().unwrap(), etag);
    let head = site.request("HEAD", "/api/v1/tags/A:9").bearer_auth(site.token("alpha"));
    assert_eq!(head.send().await.unwrap().status().as_u16(), 404);
}

/// The next events of a stream: names are left out, ids and data are kept.
async fn next(
    stream: &mut Response,
    text: &mut String,
    count: usize,
) -> (Vec<Value>, Option<String>) {
    let (mut events, mut last) = (Vec::new(), None);
    while events.len() < count {
        while let Some(end) = text.find("\n\n") {
            let rest = text.split_off(end + 2);
            let block = std::mem::replace(text, rest);
            for line in block.lines() {
                if let Some(data) = line.strip_prefix("data: ") {
                    events.push(serde_json::from_str(data).unwrap());
                }
                if let Some(id) = line.strip_prefix("id: ") {
                    last = Some(id.to_owned());
                }
            }
        }
        if events.len() < count {
            let more = stream.chunk().await.unwrap().unwrap();
            text.push_str(std::str::from_utf8(&more).unwrap());
        }
    }
    (events, last)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_is_followed_and_resumed() {
    let site = Site::new().await;
    let open = async |service: &str, last: Option<&str>| {
        let request = site.request("GET", "/api/v1/events/stream").bearer_auth(site.token(service));
        let request =
            last.into_iter().fold(request, |request, id| request.header("last-event-id", id));
        request.send().await.unwrap()
    };
    let append = async |service: &str, name: &str| {
        let body = json!({ "events": [event(name, &["A:1"])] });
        assert_eq!(site.post(service, "/api/v1/events", body).await.0, 201);
    };
    append("alpha", "One").await;
    append("beta", "Foreign").await;
    let mut stream = open("alpha", None).await;
    let mut text = String::new();
    let (events, _) = next(&mut stream, &mut text, 1).await;
    assert_eq!(events[0]["eventType"], "One");
    append("alpha", "Two").await;
    let (events, _) = next(&mut stream, &mut text, 1).await;
    assert_eq!(events[0]["eventType"], "Two");
    // Behind the safe window the position moves on.
    site.world.clock.travel(Duration::from_secs(60));
    append("alpha", "Three").await;
    let (events, last) = next(&mut stream, &mut text, 1).await;
    assert_eq!(events[0]["eventType"], "Three");
    let last = last.expect("the last event of a page has an id");
    drop(stream);
    append("alpha", "Four").await;
    let mut stream = open("alpha", Some(&last)).await;
    let mut text = String::new();
    let (events, _) = next(&mut stream, &mut text, 2).await;
    // What was within the window comes again; nothing is left out.
    let names: Vec<_> = events.iter().map(|event| event["eventType"].clone()).collect();
    assert_eq!(names, ["Three", "Four"]);
    assert_eq!(open("beta", Some(&last)).await.status().as_u16(), 400, "it is of one tenant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_see_all_tenants_and_nobody_else_does() {
    let site = Site::new().await;
    for service in ["alpha", "beta"] {
        let body = json!({ "events": [event("Made", &["A:1"])] });
        site.post(service, "/api/v1/events", body).await;
    }
    let routes = [
        ("GET", "/admin/v1/services"),
        ("POST", "/admin/v1/services"),
        ("DELETE", "/admin/v1/services/beta"),
        ("GET", "/admin/v1/services/beta/stats"),
        ("POST", "/admin/v1/query"),
        ("POST", "/admin/v1/repair"),
    ];
    let body = json!({ "serviceId": "beta" });
    for (method, path) in routes {
        let answer = site.call(&site.token("alpha"), method, path, Some(body.clone())).await;
        assert_eq!(answer.0, 403, "{method} {path}");
    }
    let operator = site.operator();
    let call = async |method: &str, path: &str, body: Option<Value>| {
        site.call(&operator, method, path, body).await
    };
    let listed = call("GET", "/admin/v1/services", None).await;
    assert_eq!(listed, (200, json!({ "services": ["alpha", "beta"] })));
    let new = json!({ "serviceId": "Gamma" });
    assert_eq!(call("POST", "/admin/v1/services", Some(new.clone())).await.0, 201);
    assert_eq!(call("POST", "/admin/v1/services", Some(new)).await.0, 409);
    let wrong = json!({ "serviceId": "a b" });
    assert_eq!(call("POST", "/admin/v1/services", Some(wrong)).await.0, 400);
    let (_, stats) = call("GET", "/admin/v1/services/beta/stats", None).await;
    assert_eq!((&stats["events"], &stats["tags"]), (&json!(1), &json!(1)));
    let (_, page) = call("POST", "/admin/v1/query", Some(body)).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    let (status, report) = call("POST", "/admin/v1/repair?dryRun=true", None).await;
    assert_eq!((status, &report["cleared"]), (200, &json!(0)));
    assert_eq!(call("DELETE", "/admin/v1/services/beta", None).await.1, json!({ "deleted": 2 }));
    let listed = call("GET", "/admin/v1/services", None).await;
    assert_eq!(listed.1, json!({ "services": ["alpha", "gamma"] }));
    // An operator is no tenant.
    assert_eq!(call("GET", "/api/v1/events", None).await.0, 403);
}
