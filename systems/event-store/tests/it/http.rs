//! The routes: tenants by token, appends, reads, the feed, operators.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};
use service::http::openapi_mismatches;

use crate::site::{Site, answer, on_every_provider};

on_every_provider! {
    the_document_and_the_routes_agree,
    dc_a4_the_token_names_the_tenant_whatever_the_body_says,
    dc_a5_each_refusal_has_its_own_answer,
    conditions_and_keys_over_http,
    bad_input_has_its_own_answer_and_stores_nothing,
    pages_tags_and_states,
    a_feed_is_followed_and_resumed,
    operators_see_all_tenants_and_nobody_else_does,
    groups_receive_and_commit,
    operators_see_conflicts_and_causes,
    metrics_name_a_tenant_only_if_it_is_listed,
}

fn event(name: &str, tags: &[&str]) -> Value {
    json!({ "type": name, "payload": { "a": 1 }, "tags": tags })
}

async fn the_document_and_the_routes_agree(site: Site) {
    assert_eq!(openapi_mismatches(&site.router, &[]).await, Vec::<String>::new());
}

async fn dc_a4_the_token_names_the_tenant_whatever_the_body_says(site: Site) {
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

async fn dc_a5_each_refusal_has_its_own_answer(site: Site) {
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

async fn conditions_and_keys_over_http(site: Site) {
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

async fn bad_input_has_its_own_answer_and_stores_nothing(site: Site) {
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
        (json!({ "events": [event("Made", &["A:1", "A:1"])] }), 400, "invalid_request"),
        (json!({ "events": [{ "type": "two words" }] }), 400, "invalid_request"),
        (json!({ "events": vec![event("Made", &[]); 100] }), 413, "too_large"),
    ];
    for (body, status, code) in wrong {
        let answer = site.post("alpha", "/api/v1/events", body).await;
        assert_eq!((answer.0, &answer.1["code"]), (status, &json!(code)), "{}", answer.1);
    }
    // An account can only reserve tags.
    if site.world.account.is_some() {
        let by_type = json!({ "failIfEventsMatch": { "items": [{ "types": ["Made"] }] } });
        let body = json!({ "events": [event("Made", &[])], "condition": by_type });
        let answer = site.post("alpha", "/api/v1/events", body).await;
        assert_eq!((answer.0, &answer.1["code"]), (501, &json!("unsupported")), "{}", answer.1);
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

async fn pages_tags_and_states(site: Site) {
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

async fn a_feed_is_followed_and_resumed(site: Site) {
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
    // On an account what was within the window comes again; nothing is left out.
    let expected: &[&str] =
        if site.world.account.is_some() { &["Three", "Four"] } else { &["Four"] };
    let (events, _) = next(&mut stream, &mut text, expected.len()).await;
    let names: Vec<_> = events.iter().map(|event| event["eventType"].as_str().unwrap()).collect();
    assert_eq!(names, expected);
    assert_eq!(open("beta", Some(&last)).await.status().as_u16(), 400, "it is of one tenant");
}

async fn operators_see_all_tenants_and_nobody_else_does(site: Site) {
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

async fn groups_receive_and_commit(site: Site) {
    for name in ["One", "Two"] {
        let body = json!({ "events": [event(name, &["A:1"])] });
        site.post("alpha", "/api/v1/events", body).await;
    }
    let path = "/api/v1/groups/mailer/receive?waitSeconds=30";
    let receive = async || loop {
        let (status, received) = site.post("alpha", path, json!(null)).await;
        assert_eq!(status, 200, "{received}");
        if received["items"] != json!([]) {
            return received;
        }
    };
    let mut received = receive().await;
    // Without a commit they come again; on PostgreSQL the second may be a moment late.
    while received["items"].as_array().unwrap().len() < 2 {
        received = receive().await;
    }
    assert_eq!(received["items"][0]["eventType"], "One");
    let receipt = json!({ "receipt": received["receipt"] });
    let commit = "/api/v1/groups/mailer/commit";
    let (status, problem) = site.post("beta", commit, receipt.clone()).await;
    assert_eq!((status, &problem["code"]), (400, &json!("invalid_cursor")), "it is of one tenant");
    let other = "/api/v1/groups/other/commit";
    assert_eq!(site.post("alpha", other, receipt.clone()).await.0, 400, "it is of one group");
    assert_eq!(site.post("alpha", commit, json!({ "receipt": "x" })).await.0, 400);
    assert_eq!(site.post("alpha", commit, receipt.clone()).await.0, 204);
    assert_eq!(site.post("alpha", commit, receipt).await.0, 409, "it is committed once");
    let empty = site.post("alpha", "/api/v1/groups/mailer/receive", json!(null)).await;
    assert_eq!(empty, (200, json!({ "items": [] })));
    let (_, groups) = site.get("alpha", "/api/v1/groups").await;
    assert_eq!(groups["items"][0]["name"], "mailer");
    assert_eq!(groups["items"][0]["eventsProcessed"], 2);
    assert_eq!(site.get("beta", "/api/v1/groups").await.1, json!({ "items": [] }));
    for wrong in ["a%2Fb", "a%20b"] {
        let path = format!("/api/v1/groups/{wrong}/receive");
        assert_eq!(site.post("alpha", &path, json!(null)).await.0, 400, "{wrong}");
    }
    let long = "/api/v1/groups/mailer/receive?waitSeconds=61";
    assert_eq!(site.post("alpha", long, json!(null)).await.0, 400);
    let delete = async |service: &str| {
        site.call(&site.token(service), "DELETE", "/api/v1/groups/mailer", None).await.0
    };
    assert_eq!(
        (delete("beta").await, delete("alpha").await, delete("alpha").await),
        (404, 204, 404)
    );
}

async fn operators_see_conflicts_and_causes(site: Site) {
    let once =
        json!({ "events": [event("Made", &["A:1"])], "condition": { "tags": { "A:1": null } } });
    let (_, receipt) = site.post("alpha", "/api/v1/events", once.clone()).await;
    let first = receipt["events"][0]["id"].clone();
    assert_eq!(site.post("alpha", "/api/v1/events", once).await.0, 409);
    let mut caused = event("Followed", &["A:1"]);
    caused["causationId"] = first.clone();
    let (_, receipt) = site.post("alpha", "/api/v1/events", json!({ "events": [caused] })).await;
    let second = receipt["events"][0]["id"].as_str().unwrap().to_owned();
    let operator = site.operator();
    let get = async |path: &str| site.call(&operator, "GET", path, None).await;
    let (status, found) = get("/admin/v1/conflicts").await;
    assert_eq!((status, found["items"].as_array().unwrap().len()), (200, 1), "{found}");
    let conflict = &found["items"][0];
    assert_eq!((&conflict["serviceId"], &conflict["tags"]), (&json!("alpha"), &json!(["A:1"])));
    assert_eq!(conflict["conflicts"][0]["expected"], json!(null));
    assert_eq!(found["foreignItems"], 0);
    assert_eq!(get("/admin/v1/conflicts?service=beta").await.1["items"], json!([]));
    let (_, chain) = get(&format!("/admin/v1/services/alpha/events/{second}")).await;
    assert_eq!(chain["event"]["eventType"], "Followed");
    assert_eq!(chain["causes"][0]["id"], first);
    assert!(chain.get("origin").is_none(), "{chain}");
    let missing = get(&format!("/admin/v1/services/beta/events/{second}")).await;
    assert_eq!(missing.0, 404, "it is of one tenant");
    let (_, tags) = get("/admin/v1/services/alpha/tags").await;
    assert_eq!(tags["items"][0]["eventCount"], 2);
    let (status, state) = get("/admin/v1/services/alpha/tags/A:1/state/School").await;
    assert_eq!((status, &state["tag"]), (200, &json!("A:1")));
    let (_, projections) = get("/admin/v1/services/alpha/projections").await;
    assert_eq!(projections["items"].as_array().unwrap().len(), 3, "{projections}");
    let rebuild = "/admin/v1/services/alpha/projections/School/rebuild";
    assert_eq!(site.call(&operator, "POST", rebuild, None).await.0, 202);
    let wrong = "/admin/v1/services/alpha/projections/Nothing/rebuild";
    assert_eq!(site.call(&operator, "POST", wrong, None).await.0, 404);
    // Nobody else gets there.
    for path in ["/admin/v1/conflicts", "/admin/v1/services/beta/tags", "/admin/v1/migrations"] {
        assert_eq!(site.get("alpha", path).await.0, 403, "{path}");
    }
    let stream = "/admin/v1/services/alpha/stream?since=now";
    assert_eq!(site.get("alpha", stream).await.0, 403);
    let mut stream = site.request("GET", stream).bearer_auth(&operator).send().await.unwrap();
    let new = json!({ "events": [event("New", &[])] });
    site.post("alpha", "/api/v1/events", new).await;
    let mut text = String::new();
    loop {
        let (events, _) = next(&mut stream, &mut text, 1).await;
        if events[0]["eventType"] == "New" {
            break;
        }
    }
}

async fn metrics_name_a_tenant_only_if_it_is_listed(site: Site) {
    for service in ["alpha", "listed"] {
        let body = json!({ "events": [event("Made", &["A:1"])] });
        site.post(service, "/api/v1/events", body).await;
    }
    let metrics = site.server.metrics().render();
    let line = |name: &str| metrics.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert_eq!(
        line("event_store_appends_total{service_id=\"\"}").split(' ').next_back(),
        Some("1")
    );
    let listed = line("event_store_appends_total{service_id=\"listed\"}");
    assert_eq!(listed.split(' ').next_back(), Some("1"), "{metrics}");
    assert!(!metrics.contains("alpha"), "{metrics}");
}
