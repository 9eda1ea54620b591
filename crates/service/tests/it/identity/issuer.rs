//! An issuer that speaks OpenID Connect on a socket: discovery, authorization, token and keys.
//!
//! It is as strict as the specifications demand of a server: codes work once, the address, the client and the PKCE
//! verifier must be those of the authorization request. `Misbehaviour` makes it lie.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header::{AUTHORIZATION, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

pub(super) const CLIENT: &str = "client of the app";
pub(super) const SECRET: &str = "s:ecret & more";
/// The time of the fixtures, in seconds.
pub(super) const NOW: u64 = 1_800_000_000;

type Pairs = HashMap<String, String>;

/// What the issuer does wrong, or differently.
#[derive(Clone, Debug, Default)]
pub(super) struct Misbehaviour {
    /// Claims of the ID token that replace the right ones; null removes one.
    pub(super) claims: Value,
    /// Members of the description that replace the right ones.
    pub(super) description: Value,
    /// The ID token is signed by a key that is not published.
    pub(super) signs_with_other_key: bool,
    /// The token endpoint answers with this instead.
    pub(super) token_answer: Option<(u16, &'static str)>,
    /// The person denies access.
    pub(super) denies: bool,
}

pub(super) struct TestIssuer {
    pub(super) url: String,
    state: Arc<IssuerState>,
}

struct IssuerState {
    url: String,
    key: EncodingKey,
    other_key: EncodingKey,
    public: Value,
    is_confidential: bool,
    codes: Mutex<HashMap<String, Pairs>>,
    misbehaviour: Mutex<Misbehaviour>,
    description_reads: Mutex<usize>,
}

impl TestIssuer {
    /// A public client, or one with a secret.
    pub(super) async fn start(is_confidential: bool) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (key, public) = key_pair();
        let state = Arc::new(IssuerState {
            url: url.clone(),
            key,
            other_key: key_pair().0,
            public,
            is_confidential,
            codes: Mutex::default(),
            misbehaviour: Mutex::default(),
            description_reads: Mutex::default(),
        });
        let routes = axum::Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/organizations/v2.0/.well-known/openid-configuration", get(describe_tenants))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/keys", get(keys))
            .with_state(Arc::clone(&state));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, state }
    }

    pub(super) fn misbehave(&self, misbehaviour: Misbehaviour) {
        *self.state.misbehaviour.lock().unwrap() = misbehaviour;
    }

    pub(super) fn description_reads(&self) -> usize {
        *self.state.description_reads.lock().unwrap()
    }

    /// Visits the address as a browser does; returns the address of the redirect.
    pub(super) async fn visit(&self, url: &str) -> String {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let answer = client.build().unwrap().get(url).send().await.unwrap();
        assert_eq!(answer.status(), 303, "{url}");
        answer.headers()["location"].to_str().unwrap().to_owned()
    }
}

fn key_pair() -> (EncodingKey, Value) {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random);
    let point = pair.unwrap().public_key().as_ref().to_vec();
    let coordinate = |range| URL_SAFE_NO_PAD.encode(&point[range]);
    let public = json!({
        "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "alg": "ES256",
        "x": coordinate(1..33), "y": coordinate(33..65),
    });
    (EncodingKey::from_ec_der(pkcs8.as_ref()), public)
}

fn overlay(document: &mut Value, changes: &Value) {
    for (name, value) in changes.as_object().into_iter().flatten() {
        document[name] = value.clone();
    }
}

async fn describe(State(state): State<Arc<IssuerState>>) -> Json<Value> {
    *state.description_reads.lock().unwrap() += 1;
    let url = &state.url;
    let mut document = json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize?tenant=one"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/keys"),
        "end_session_endpoint": format!("{url}/logout"),
        "authorization_response_iss_parameter_supported": true,
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    });
    overlay(&mut document, &state.misbehaviour.lock().unwrap().description);
    Json(document)
}

/// The description of an issuer of many tenants: its name has a place for the tenant.
async fn describe_tenants(state: State<Arc<IssuerState>>) -> Json<Value> {
    let issuer = format!("{}/{{tenantid}}/v2.0", state.url);
    let Json(mut document) = describe(state).await;
    document["issuer"] = issuer.into();
    document["authorization_response_iss_parameter_supported"] = false.into();
    Json(document)
}

async fn keys(State(state): State<Arc<IssuerState>>) -> Json<Value> {
    Json(json!({ "keys": [state.public] }))
}

/// Signs the person in without asking, and sends the browser back.
async fn authorize(State(state): State<Arc<IssuerState>>, Query(asked): Query<Pairs>) -> Response {
    assert_eq!(asked["tenant"], "one", "parameters of the address are kept");
    assert_eq!(asked["response_type"], "code");
    assert_eq!(asked["client_id"], CLIENT);
    assert_eq!(asked["code_challenge_method"], "S256");
    assert!(asked["scope"].split(' ').any(|scope| scope == "openid"));
    let mut codes = state.codes.lock().unwrap();
    let code = format!("code-{}+/=", codes.len());
    let mut back: reqwest::Url = asked["redirect_uri"].parse().unwrap();
    back.query_pairs_mut().append_pair("state", &asked["state"]);
    let misbehaviour = state.misbehaviour.lock().unwrap();
    // An issuer of many tenants names itself as its tokens do.
    let issuer = misbehaviour.claims["iss"].as_str().unwrap_or(&state.url);
    let named = if issuer.ends_with("/v2.0") { issuer } else { &state.url };
    back.query_pairs_mut().append_pair("iss", named);
    match misbehaviour.denies {
        true => back.query_pairs_mut().append_pair("error", "access_denied"),
        false => back.query_pairs_mut().append_pair("code", &code),
    };
    drop(misbehaviour);
    codes.insert(code, asked);
    (StatusCode::SEE_OTHER, [(LOCATION, back.to_string())]).into_response()
}

async fn token(
    State(state): State<Arc<IssuerState>>,
    headers: HeaderMap,
    body: String,
) -> Response {
    assert_eq!(headers["content-type"], "application/x-www-form-urlencoded");
    // A form has the syntax of a query.
    let form: reqwest::Url = format!("form:?{body}").parse().unwrap();
    let form: Pairs = form.query_pairs().into_owned().collect();
    let misbehaviour = state.misbehaviour.lock().unwrap().clone();
    if let Some((status, body)) = misbehaviour.token_answer {
        return (StatusCode::from_u16(status).unwrap(), body).into_response();
    }
    match check_exchange(&state, &headers, &form) {
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response(),
        Ok(asked) => {
            let mut claims = json!({
                "iss": state.url, "aud": CLIENT, "sub": "248289761001", "name": "Ann Example",
                "roles": ["viewer"], "iat": NOW, "exp": NOW + 300, "nonce": asked["nonce"],
            });
            overlay(&mut claims, &misbehaviour.claims);
            let header = Header { kid: Some("k1".to_owned()), ..Header::new(Algorithm::ES256) };
            let is_wrong = misbehaviour.signs_with_other_key;
            let key = if is_wrong { &state.other_key } else { &state.key };
            let id_token = encode(&header, &claims, key).unwrap();
            let answer = json!({
                "access_token": "opaque", "token_type": "Bearer", "id_token": id_token,
            });
            Json(answer).into_response()
        }
    }
}

fn check_exchange(
    state: &IssuerState,
    headers: &HeaderMap,
    form: &Pairs,
) -> Result<Pairs, &'static str> {
    let text = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    if state.is_confidential {
        let line = headers.get(AUTHORIZATION).and_then(|line| line.to_str().ok());
        let pair = line.and_then(|line| line.strip_prefix("Basic ")).ok_or("invalid_client")?;
        let pair = String::from_utf8(STANDARD.decode(pair).unwrap()).unwrap();
        // As in a form: a space is a plus, the colon of the secret is escaped.
        if pair != "client+of+the+app:s%3Aecret+%26+more" {
            return Err("invalid_client");
        }
    } else if text("client_id") != CLIENT {
        return Err("invalid_client");
    }
    // Removed: a code works once.
    let asked = state.codes.lock().unwrap().remove(text("code")).ok_or("invalid_grant")?;
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, text("code_verifier").as_bytes()));
    let is_same = text("grant_type") == "authorization_code"
        && text("redirect_uri") == asked["redirect_uri"]
        && challenge == asked["code_challenge"];
    is_same.then_some(asked).ok_or("invalid_grant")
}
