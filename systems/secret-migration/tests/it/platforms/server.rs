//! The server with the protocol of a Vault, through our own client and over plain HTTP: the same rules as other
//! targets, versions, access by policies, nothing readable in its store.

use std::sync::Arc;
use std::time::Duration;

use client::{Account, Environment, TimestampMs, TravellingClock};
use engine::Engine;
use reqwest::{Client, Method};
use secret_migration::{
    EnvelopeKeys, ExpectedVersion, PlatformFailure, SecretLocation, SecretSource, SecretTarget,
    VaultAuth, VaultClient, VaultServer, VaultServerSettings, VaultSettings,
};
use serde_json::{Value, json};
use service::settings::Secret;

use super::targets::{check_target, data, serve};

struct Running {
    address: String,
    clock: Arc<TravellingClock>,
    client: Client,
}

impl Running {
    async fn start() -> Self {
        let clock = TravellingClock::starting_at(TimestampMs(1_749_556_800_000));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let engine = Engine::simulated(environment.clone()).await.unwrap();
        let account = Account::embedded(engine).await.unwrap().with_environment(environment);
        let address = serve(open(&account).await.router()).await;
        Self { address, clock, client: Client::builder().no_proxy().build().unwrap() }
    }

    async fn ask(&self, token: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = self.client.request(method, format!("{}/v1/{path}", self.address));
        let request = request.header("x-vault-token", token);
        let request = if body.is_null() { request } else { request.json(&body) };
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap_or_default())
    }

    /// As root; must succeed.
    async fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask("root", method, path, body).await;
        assert!(status == 200 || status == 204, "{method} {path}: {status} {answer}");
        answer
    }
}

async fn open(account: &Account) -> VaultServer {
    let settings = VaultServerSettings {
        database: "vault".to_owned(),
        root_token: Secret::new("root"),
        keys: vec![EnvelopeKeys::generate().unwrap()],
    };
    VaultServer::open(account, &settings).await.unwrap()
}

#[tokio::test]
async fn it_keeps_the_rules_of_a_target() {
    let running = Running::start().await;
    let settings = VaultSettings {
        address: running.address.clone(),
        token: Secret::new("root"),
        ..VaultSettings::default()
    };
    let vault = VaultClient::open(settings, Environment::system()).unwrap();
    check_target(&vault).await;
    let location = SecretLocation { mount: "secret".to_owned(), path: "a".to_owned() };
    let missing = vault.live_version(&location).await.unwrap_err();
    assert_eq!(missing.failure, PlatformFailure::Missing);
    SecretTarget::write(&vault, "a", &data(r#"{"k":1}"#), &ExpectedVersion::Absent).await.unwrap();
    assert_eq!(vault.live_version(&location).await.unwrap(), 1);
    running.done("DELETE", "secret/data/a", Value::Null).await;
    let deleted = PlatformFailure::Deleted { version: 1, destroyed: false };
    assert_eq!(vault.live_version(&location).await.unwrap_err().failure, deleted);
    let read = SecretSource::read(&vault, &location, None).await.unwrap_err();
    assert_eq!(read.failure, deleted);
    for number in 2..=4 {
        let body = json!({ "data": { "k": number } });
        running.done("POST", "secret/data/a", body).await;
    }
    running.done("PUT", "secret/destroy/a", json!({ "versions": [3] })).await;
    assert_eq!(vault.live_versions(&location).await.unwrap(), [2, 4]);
    let second = SecretSource::read(&vault, &location, Some(2)).await.unwrap();
    assert_eq!(second.version, 2);
}

#[tokio::test]
async fn versions_are_kept_deleted_undeleted_and_destroyed() {
    let running = Running::start().await;
    for number in 1..=3 {
        let body = json!({ "data": { "k": number, "deep": { "x": "y" } } });
        running.done("POST", "secret/data/a/b", body).await;
    }
    let read = running.done("GET", "secret/data/a/b?version=2", Value::Null).await;
    assert_eq!(read["data"]["data"]["k"], 2);
    assert_eq!(read["data"]["metadata"]["version"], 2);
    let keys = running.done("GET", "secret/subkeys/a/b", Value::Null).await;
    assert_eq!(keys["data"]["subkeys"], json!({ "k": null, "deep": { "x": null } }));
    // Merge.
    let patch = json!({ "data": { "k": null, "new": 1 }, "options": { "cas": 3 } });
    running.done("PATCH", "secret/data/a/b", patch.clone()).await;
    let (status, answer) = running.ask("root", "PATCH", "secret/data/a/b", patch).await;
    assert_eq!(status, 400, "{answer}");
    assert!(answer["errors"][0].as_str().unwrap().contains("check-and-set"));
    let read = running.done("GET", "secret/data/a/b", Value::Null).await;
    assert_eq!(read["data"]["data"], json!({ "deep": { "x": "y" }, "new": 1 }));
    // Delete and undelete, destroy.
    running.done("POST", "secret/delete/a/b", json!({ "versions": [2] })).await;
    let (status, gone) = running.ask("root", "GET", "secret/data/a/b?version=2", Value::Null).await;
    assert_eq!((status, &gone["data"]["data"]), (404, &Value::Null));
    assert_ne!(gone["data"]["metadata"]["deletion_time"], "");
    running.done("POST", "secret/undelete/a/b", json!({ "versions": ["2"] })).await;
    running.done("GET", "secret/data/a/b?version=2", Value::Null).await;
    running.done("PUT", "secret/destroy/a/b", json!({ "versions": [2] })).await;
    running.done("POST", "secret/undelete/a/b", json!({ "versions": [2] })).await;
    let (status, gone) = running.ask("root", "GET", "secret/data/a/b?version=2", Value::Null).await;
    assert_eq!((status, &gone["data"]["metadata"]["destroyed"]), (404, &json!(true)));
    // Lists, and the end of the path.
    running.done("POST", "secret/data/a/c/d", json!({ "data": {} })).await;
    let listed = running.done("LIST", "secret/metadata/a", Value::Null).await;
    assert_eq!(listed["data"]["keys"], json!(["b", "c/"]));
    let listed = running.done("GET", "secret/metadata/?list=true", Value::Null).await;
    assert_eq!(listed["data"]["keys"], json!(["a/"]));
    running.done("DELETE", "secret/metadata/a/b", Value::Null).await;
    assert_eq!(running.ask("root", "GET", "secret/metadata/a/b", Value::Null).await.0, 404);
    assert_eq!(running.ask("root", "LIST", "secret/metadata/zzz", Value::Null).await.0, 404);
}

#[tokio::test]
async fn limits_of_versions_and_times_hold() {
    let running = Running::start().await;
    let metadata = json!({
        "max_versions": 2, "cas_required": true, "custom_metadata": { "team": "shop" },
        "delete_version_after": "1h",
    });
    running.done("POST", "secret/metadata/x", metadata).await;
    let (status, _) =
        running.ask("root", "POST", "secret/data/x", json!({ "data": { "k": 0 } })).await;
    assert_eq!(status, 400, "cas is required");
    for cas in 0..4 {
        let body = json!({ "data": { "k": cas }, "options": { "cas": cas } });
        running.done("POST", "secret/data/x", body).await;
    }
    let metadata = running.done("GET", "secret/metadata/x", Value::Null).await;
    let versions = metadata["data"]["versions"].as_object().unwrap();
    assert_eq!(versions.keys().collect::<Vec<_>>(), ["3", "4"]);
    assert_eq!(metadata["data"]["delete_version_after"], "1h0m0s");
    assert_eq!(metadata["data"]["custom_metadata"], json!({ "team": "shop" }));
    assert_eq!(running.ask("root", "GET", "secret/data/x?version=2", Value::Null).await.0, 404);
    running.done("GET", "secret/data/x", Value::Null).await;
    running.clock.travel(Duration::from_secs(3_601));
    assert_eq!(running.ask("root", "GET", "secret/data/x", Value::Null).await.0, 404);
}

#[tokio::test]
async fn an_approle_gets_what_its_policy_allows_and_no_more() {
    let running = Running::start().await;
    let policy = r#"
        path "secret/data/shop/*" { capabilities = ["create", "read"] }
        path "secret/metadata/shop/*" { capabilities = ["list"] }
    "#;
    running.done("PUT", "sys/policies/acl/shop", json!({ "policy": policy })).await;
    let role = json!({ "token_policies": ["shop"], "token_ttl": "1h", "secret_id_num_uses": 1 });
    running.done("POST", "auth/approle/role/shop", role).await;
    let role_id = running.done("GET", "auth/approle/role/shop/role-id", Value::Null).await;
    let role_id = role_id["data"]["role_id"].as_str().unwrap().to_owned();
    let secret_id = running.done("POST", "auth/approle/role/shop/secret-id", Value::Null).await;
    let secret_id = secret_id["data"]["secret_id"].as_str().unwrap().to_owned();
    let settings = VaultSettings {
        address: running.address.clone(),
        auth: VaultAuth::AppRole,
        role: role_id.clone(),
        secret_id: Secret::new(secret_id.clone()),
        ..VaultSettings::default()
    };
    let vault = VaultClient::open(settings, Environment::system()).unwrap();
    let one = data(r#"{"k":1}"#);
    SecretTarget::write(&vault, "shop/a", &one, &ExpectedVersion::Absent).await.unwrap();
    assert!(SecretTarget::read(&vault, "shop/a").await.unwrap().is_some());
    // The one use of the secret id is taken.
    let login = json!({ "role_id": role_id, "secret_id": secret_id });
    assert_eq!(running.ask("", "POST", "auth/approle/login", login).await.0, 400);
    let grant = json!({ "policies": ["shop"], "ttl": "10m" });
    let token = running.done("POST", "auth/token/create", grant).await;
    let token = token["auth"]["client_token"].as_str().unwrap().to_owned();
    let body = json!({ "data": { "k": 2 } });
    for (method, path, expected) in [
        ("POST", "secret/data/shop/b", 200),
        // Known by now: that would be an update.
        ("POST", "secret/data/shop/b", 403),
        ("GET", "secret/data/shop/b", 200),
        ("LIST", "secret/metadata/shop/", 200),
        ("DELETE", "secret/data/shop/b", 403),
        ("GET", "secret/data/other", 403),
        ("PUT", "sys/policies/acl/shop", 403),
        ("GET", "auth/token/lookup-self", 200),
        ("POST", "auth/token/create", 403),
    ] {
        let body = if method == "POST" { body.clone() } else { Value::Null };
        let (status, answer) = running.ask(&token, method, path, body).await;
        assert_eq!(status, expected, "{method} {path}: {answer}");
    }
    let renewed = running.ask(&token, "POST", "auth/token/renew-self", json!({})).await;
    assert_eq!((renewed.0, &renewed.1["auth"]["lease_duration"]), (200, &json!(600)));
    running.clock.travel(Duration::from_secs(601));
    assert_eq!(running.ask(&token, "GET", "secret/data/shop/b", Value::Null).await.0, 403);
    assert_eq!(running.ask("", "GET", "secret/data/shop/b", Value::Null).await.0, 403);
}

#[tokio::test]
async fn wrong_requests_are_refused_in_the_words_of_the_protocol() {
    let running = Running::start().await;
    for (method, path, body, expected) in [
        ("POST", "secret/data/a", json!({}), 400),
        ("POST", "secret/data/a", json!({ "data": [1] }), 400),
        ("POST", "secret/data/a//b", json!({ "data": {} }), 400),
        ("POST", "secret/data/", json!({ "data": {} }), 400),
        ("GET", "secret/data/a?version=x", Value::Null, 400),
        ("GET", "secret/data/a", Value::Null, 404),
        ("PATCH", "secret/data/a", json!({ "data": {} }), 404),
        ("POST", "secret/delete/a", json!({}), 400),
        ("GET", "other/data/a", Value::Null, 404),
        ("POST", "sys/mounts/pki", json!({ "type": "pki" }), 400),
        ("POST", "sys/mounts/team/kv", json!({ "type": "kv", "options": { "version": "2" } }), 204),
        ("POST", "sys/mounts/team/kv", json!({ "type": "kv-v2" }), 400),
        ("POST", "team/kv/data/a", json!({ "data": { "k": 1 } }), 200),
        ("PUT", "sys/policy/x", json!({ "policy": "path" }), 400),
        ("GET", "transit/keys", Value::Null, 404),
        ("PROPFIND", "secret/data/a", Value::Null, 405),
    ] {
        let (status, answer) = running.ask("root", method, path, body).await;
        assert_eq!(status, expected, "{method} {path}: {answer}");
        assert!(status < 400 || answer["errors"].is_array(), "{answer}");
    }
    let request = running.client.get(format!("{}/v1/secret/data/a", running.address));
    let request = request.header("x-vault-token", "root").header("x-vault-namespace", "team");
    assert_eq!(request.send().await.unwrap().status(), 400);
    for path in ["sys/health", "sys/seal-status", "sys/init"] {
        let (status, answer) = running.ask("", "GET", path, Value::Null).await;
        assert_eq!((status, &answer["initialized"]), (200, &json!(true)), "{path}");
    }
}

#[tokio::test]
async fn its_store_has_no_value_and_a_write_of_many_is_one_version_each() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    let account = Account::embedded(place.as_path()).await.unwrap();
    let address = serve(open(&account).await.router()).await;
    let running = Running {
        address,
        clock: TravellingClock::starting_at(TimestampMs(0)),
        client: Client::builder().no_proxy().build().unwrap(),
    };
    let writes = (0..8).map(|number| {
        let body = json!({ "data": { "password": format!("canary-{number}-tweety") } });
        running.done("POST", "secret/data/a", body)
    });
    futures::future::join_all(writes).await;
    let read = running.done("GET", "secret/metadata/a", Value::Null).await;
    assert_eq!(read["data"]["current_version"], 8);
    account.close().await.unwrap();
    let mut folders = vec![place];
    let mut files = 0;
    while let Some(one) = folders.pop() {
        for entry in std::fs::read_dir(one).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let bytes = std::fs::read(&path).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
            assert!(!has("tweety"), "{}", path.display());
        }
    }
    assert!(files > 3);
}
