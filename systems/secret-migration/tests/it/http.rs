//! The HTTP interface: status codes, roles, etags, the long poll, the document.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use secret_migration::RollbackOptions;
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use service::settings::Secret;
use tokio::net::TcpListener;

use crate::world::{CLUSTER, Embedded, OverGateway, Way, World, cluster};

pub(crate) struct Site {
    pub(crate) world: World,
    server: HttpServer,
    address: SocketAddr,
    client: Client,
}

impl Site {
    pub(crate) async fn on(world: World) -> Self {
        let environment = world.environment.clone();
        let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
        let settings = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
        let server = HttpServer::new(environment, settings, identity);
        let router = world.system.router(&server, &[]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = server.clone();
        tokio::spawn(async move { serving.serve_at(listener, router).await.unwrap() });
        Self { world, server, address, client: Client::builder().no_proxy().build().unwrap() }
    }

    /// Calls as somebody whose name is their role, perhaps with a number: `operator2`.
    async fn send(
        &self,
        caller: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Response {
        let role = caller.trim_end_matches(char::is_numeric);
        let token = self.server.identity().demo_issuer().unwrap().token(caller, &[role]);
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        request.bearer_auth(token).send().await.unwrap()
    }

    pub(crate) async fn call(
        &self,
        caller: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let response = self.send(caller, method, path, &[], body).await;
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or_default())
    }
}

pub(crate) const CART: &str = "/v1/clusters/dev-1/workloads/shop/cart";

#[tokio::test]
async fn the_document_and_the_routes_agree() {
    let site = Site::on(World::new::<Embedded>().await).await;
    let router = site.world.system.router(&site.server, &[]);
    assert_eq!(service::http::openapi_mismatches(&router, &[]).await, Vec::<String>::new());
}

/// A process of its own on the containers of a site.
async fn instance(site: &Site, settings: &IdentitySettings) -> (HttpServer, String) {
    let environment = site.world.environment.clone();
    let identity = Identity::new(environment.clone(), settings).unwrap();
    let server = HttpServer::new(environment, HttpSettings::default(), identity);
    let router = site.world.system.router(&server, &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serving = server.clone();
    tokio::spawn(async move { serving.serve_at(listener, router).await.unwrap() });
    (server, url)
}

async fn session_status(client: &Client, url: &str, cookie: &str) -> u16 {
    let asked = client.get(format!("{url}/session")).header("cookie", cookie);
    asked.send().await.unwrap().status().as_u16()
}

/// Before the fix, the end of a session was known to the process that had ended it only.
#[tokio::test]
async fn a_session_stays_ended_after_a_restart() {
    let site = Site::on(World::new::<Embedded>().await).await;
    let secret = Secret::new("a secret that survives the restart of the tracker");
    let settings = IdentitySettings { secret, ..IdentitySettings::demo() };
    let (server, url) = instance(&site, &settings).await;
    let link = server.identity().sign_in_link("ann", &["viewer"]).unwrap();
    let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    let signed_in = client.get(format!("{url}{link}")).send().await.unwrap();
    let cookies: Vec<String> = signed_in
        .headers()
        .get_all("set-cookie")
        .iter()
        .map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap().to_owned())
        .collect();
    let (cookie, csrf) = (&cookies[0], cookies[1].split_once('=').unwrap().1);
    assert_eq!(session_status(&client, &url, cookie).await, 200);
    let sign_out = client.post(format!("{url}/session/sign-out")).header("cookie", cookie);
    let signed_out = sign_out.header("x-csrf-token", csrf).send().await.unwrap();
    assert_eq!(signed_out.status().as_u16(), 204);
    assert_eq!(session_status(&client, &url, cookie).await, 401);
    let (_, restarted) = instance(&site, &settings).await;
    assert_eq!(session_status(&client, &restarted, cookie).await, 401);
}

async fn statuses<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    let site = Site::on(world).await;
    let status = |answer: (u16, Value)| answer.0;
    // SM-A11.
    for (body, expected) in [
        (json!({ "migrationStatus": "MIGRATED" }), 409),
        (json!({ "migrationStatus": "DONE" }), 400),
        (json!({ "secretBackend": "foo" }), 400),
        (json!({ "labels": { "a": "b" } }), 200),
    ] {
        assert_eq!(status(site.call("operator", "PATCH", CART, Some(body)).await), expected);
    }
    let stale = [("if-match", "\"stale\"")];
    let body = Some(json!({ "paused": true }));
    assert_eq!(site.send("operator", "PATCH", CART, &stale, body).await.status(), 412);
    // SM-A7.
    let elsewhere = "/v1/clusters/dev-1/workloads/pay/x/migrate";
    assert_eq!(status(site.call("operator", "POST", elsewhere, None).await), 404);
    // SM-A4, SM-A6.
    let migrate = format!("{CART}/migrate");
    assert_eq!(status(site.call("viewer", "POST", &migrate, None).await), 403);
    assert_eq!(status(site.call("operator", "POST", &migrate, None).await), 202);
    site.world.run(CLUSTER).await;
    let (code, workload) = site.call("viewer", "GET", CART, None).await;
    assert_eq!((code, workload["migrationStatus"].as_str()), (200, Some("MIGRATED")));
    assert_eq!(status(site.call("operator", "POST", &migrate, None).await), 409);
    // SM-A15.
    let back = format!("{CART}/rollback");
    assert_eq!(status(site.call("viewer", "POST", &back, Some(json!({}))).await), 403);
    let force = Some(json!({ "force": true }));
    assert_eq!(status(site.call("operator", "POST", &back, force).await), 403);
    let drift = json!({ "cluster": CLUSTER, "resync": true });
    assert_eq!(status(site.call("operator", "POST", "/v1/drift", Some(drift)).await), 200);
    site.world.vault.delete("secret/cart/db");
    let (code, refused) = site.call("operator", "POST", &back, Some(json!({}))).await;
    assert_eq!(code, 409, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("deleted"), "{refused}");
    site.world.vault.put("secret/cart/db", &[("user", "new")]);
    let (code, done) = site.call("operator", "POST", &back, Some(json!({}))).await;
    assert_eq!((code, done["workload"]["secretBackend"].as_str()), (202, Some("hashi")));
    let audit = format!("/v1/audit?cluster=dev-1&workload={}/{}", key.namespace, key.name);
    let (_, entries) = site.call("viewer", "GET", &audit, None).await;
    assert_eq!(entries.as_array().unwrap().last().unwrap()["by"], "operator");
    // SM-X7: without the cluster, a namespace is looked for in all of them, by administrators.
    let everywhere = "/v1/namespaces/shop";
    assert_eq!(status(site.call("operator", "GET", everywhere, None).await), 403);
    let (code, mappings) = site.call("admin", "GET", everywhere, None).await;
    assert_eq!((code, mappings[0]["id"].as_str()), (200, Some("dev-1:shop")), "{mappings}");
    let (code, summary) = site.call("viewer", "GET", "/v1/clusters/dev-1/summary", None).await;
    assert_eq!((code, summary["byStatus"]["ROLLED-BACK"].as_u64()), (200, Some(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a7_a11_a15_statuses_and_roles() {
    statuses::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a7_a11_a15_statuses_and_roles_over_our_gateway() {
    statuses::<OverGateway>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a7_a_missing_mapping_is_424() {
    let world = World::new::<Embedded>().await;
    world.system.sync_namespaces(&cluster(CLUSTER), Vec::new()).await.unwrap();
    world.add(CLUSTER, "cart", &["cart/db"]).await;
    let site = Site::on(world).await;
    let (code, problem) = site.call("operator", "POST", &format!("{CART}/migrate"), None).await;
    assert_eq!(code, 424);
    assert!(problem["detail"].as_str().unwrap().contains("shop"), "{problem}");
    let put = json!({ "smpPath": "apps/shop" });
    let path = "/v1/clusters/dev-1/namespaces/shop";
    assert_eq!(site.call("operator", "PUT", path, Some(put.clone())).await.0, 403);
    assert_eq!(site.call("admin", "PUT", path, Some(json!({ "smpPath": "../x" }))).await.0, 400);
    assert_eq!(site.call("admin", "PUT", path, Some(put)).await.0, 200);
    assert_eq!(site.call("viewer", "GET", path, None).await.1["smpPath"], "apps/shop");
    assert_eq!(site.call("operator", "POST", &format!("{CART}/migrate"), None).await.0, 202);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resolver_waits_for_the_switch() {
    let (world, key) = World::with_workload::<Embedded>().await;
    let site = Site::on(world).await;
    let path = "/v1/resolve/dev-1/shop/cart";
    let first = site.send("viewer", "GET", path, &[], None).await;
    let etag = first.headers()["etag"].to_str().unwrap().to_owned();
    let body: Value = first.json().await.unwrap();
    assert_eq!((body["backend"].as_str(), body["etag"].as_str()), (Some("hashi"), Some(&*etag)));
    let known = [("if-none-match", etag.as_str())];
    let same = site.send("viewer", "GET", path, &known, None).await;
    assert_eq!(same.status(), 304);
    assert_eq!(
        site.send("viewer", "GET", &format!("{path}?wait=x"), &[], None).await.status(),
        400
    );
    // The clock of the test travels while the request waits, so the wait is long.
    let waiting_path = format!("{path}?wait=60s");
    let waiting = site.send("viewer", "GET", &waiting_path, &known, None);
    let switching = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        site.world.run(CLUSTER).await
    };
    let (answer, report) = tokio::join!(waiting, switching);
    assert_eq!(report.migrated, 1);
    // Depending on how far the clock travelled, the wait may have ended without a change; asking again shows it.
    let answer = match answer.status().as_u16() {
        304 => site.send("viewer", "GET", path, &known, None).await,
        _ => answer,
    };
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["backend"], "smp");
    site.world.system.roll_back(&key, &RollbackOptions::default(), "ann").await.unwrap();
    let (_, back) = site.call("viewer", "GET", path, None).await;
    assert_eq!(back["backend"], "hashi");
    assert_eq!(back["etag"].as_str(), Some(etag.as_str()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wave_is_driven_over_http() {
    let world = World::new::<Embedded>().await;
    world.sync("prod-1").await;
    for number in 0..3 {
        world.add("prod-1", &format!("w{number}"), &["a"]).await;
    }
    let site = Site::on(world).await;
    let wave =
        json!({ "name": "live", "selector": { "cluster": "prod-1" }, "stopAtErrorRatio": 0.1 });
    let post = |caller: &'static str, path: &'static str, body: Value| {
        let site = &site;
        async move { site.call(caller, "POST", path, Some(body)).await.0 }
    };
    assert_eq!(post("viewer", "/v1/waves", wave.clone()).await, 403);
    assert_eq!(post("operator", "/v1/waves", wave.clone()).await, 202);
    assert_eq!(post("operator", "/v1/waves", wave).await, 409);
    assert_eq!(post("operator", "/v1/waves/live/start", json!({})).await, 409);
    assert_eq!(post("operator", "/v1/waves/live/approve", json!({})).await, 409);
    assert_eq!(post("operator2", "/v1/waves/live/approve", json!({})).await, 202);
    assert_eq!(post("operator", "/v1/waves/live/start", json!({})).await, 202);
    assert_eq!(post("operator", "/v1/waves/live/pause", json!({})).await, 202);
    assert_eq!(site.world.run("prod-1").await.migrated, 0);
    assert_eq!(post("operator", "/v1/waves/live/start", json!({})).await, 202);
    assert_eq!(site.world.run("prod-1").await.migrated, 3);
    let (_, report) = site.call("viewer", "GET", "/v1/waves/live", None).await;
    assert_eq!(
        (report["status"].as_str(), report["byStatus"]["MIGRATED"].as_u64()),
        (Some("FINISHED"), Some(3))
    );
    assert_eq!(post("operator", "/v1/waves/live/rollback", json!({ "reason": "test" })).await, 202);
    assert_eq!(site.call("viewer", "GET", "/v1/waves/none", None).await.0, 404);
}
