//! Azure Key Vault against a double of its interface: names, versions, tokens of an issuer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Json;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use client::{Environment, TimestampMs, TravellingClock};
use secret_migration::{
    ExpectedVersion, PlatformFailure, SmpAuth, SmpKind, SmpSettings, open_target,
};
use serde_json::{Value, json};
use service::settings::Secret;

use super::targets::{check_target, data, serve};

#[derive(Clone, Default)]
struct Double(Arc<Mutex<DoubleState>>);

#[derive(Default)]
struct DoubleState {
    /// Values and the version, by name.
    secrets: BTreeMap<String, (String, u64)>,
    tokens: u64,
    disabled: bool,
}

fn is_allowed(headers: &HeaderMap, query: &BTreeMap<String, String>) -> bool {
    query.get("api-version").is_some_and(|version| version == "7.4")
        && headers["authorization"].to_str().unwrap().starts_with("Bearer token-")
}

fn bundle(name: &str, value: &str, version: u64) -> Response {
    let id = format!("https://v.vault.azure.net/secrets/{name}/{version:032x}");
    Json(json!({ "value": value, "id": id, "attributes": { "enabled": true } })).into_response()
}

async fn read(
    State(double): State<Double>,
    Path(name): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if !is_allowed(&headers, &query) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let state = double.0.lock().unwrap();
    if state.disabled {
        return StatusCode::FORBIDDEN.into_response();
    }
    match state.secrets.get(&name) {
        Some((value, version)) => bundle(&name, value, *version),
        None => (StatusCode::NOT_FOUND, Json(json!({"error":{"code":"SecretNotFound"}})))
            .into_response(),
    }
}

async fn write(
    State(double): State<Double>,
    Path(name): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    if !is_allowed(&headers, &query) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && name.len() <= 127);
    assert_eq!(body["contentType"], "application/json");
    let mut state = double.0.lock().unwrap();
    let version = state.secrets.get(&name).map_or(1, |known| known.1 + 1);
    let value = body["value"].as_str().unwrap().to_owned();
    state.secrets.insert(name.clone(), (value.clone(), version));
    bundle(&name, &value, version)
}

async fn token(State(double): State<Double>, body: String) -> Response {
    assert!(body.contains("grant_type=client_credentials") && body.contains("client_secret=s%2Bs"));
    assert!(body.contains("scope=https%3A%2F%2Fvault.azure.net%2F.default"), "{body}");
    let mut state = double.0.lock().unwrap();
    state.tokens += 1;
    Json(json!({ "access_token": format!("token-{}", state.tokens), "expires_in": 3600 }))
        .into_response()
}

#[tokio::test]
async fn a_key_vault_keeps_the_rules_and_its_token_is_renewed() {
    let double = Double::default();
    let router = Router::new()
        .route("/secrets/{name}", get(read).put(write))
        .route("/token", post(token))
        .with_state(double.clone());
    let address = serve(router).await;
    let settings = SmpSettings {
        kind: SmpKind::KeyVault,
        token_address: format!("{address}/token"),
        address,
        auth: SmpAuth::ClientCredentials,
        role: "client".to_owned(),
        secret_id: Secret::new("s+s"),
        ..SmpSettings::default()
    };
    let clock = TravellingClock::starting_at(TimestampMs(1_749_556_800_000));
    let environment = Environment::travelling(Arc::clone(&clock), 7);
    let target = open_target(&settings, environment).unwrap();
    check_target(&*target).await;
    assert_eq!(double.0.lock().unwrap().tokens, 1);
    clock.travel(std::time::Duration::from_secs(3_500));
    assert!(target.read("other").await.unwrap().is_none());
    assert_eq!(double.0.lock().unwrap().tokens, 2);
    // More than a value may have.
    let large = data(&format!(r#"{{"k":"{}"}}"#, "x".repeat(26 << 10)));
    let refused = target.write("large", &large, &ExpectedVersion::Absent).await.unwrap_err();
    assert_eq!(refused.failure, PlatformFailure::Refused { status: 413 });
    double.0.lock().unwrap().disabled = true;
    assert_eq!(target.read("other").await.unwrap_err().failure, PlatformFailure::Denied);
}
