//! Bearer tokens: which are accepted, and every reason for rejection.

use std::sync::{Arc, Mutex};

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use service::http::{HttpResult, HttpSettings, OpenApiRouter, routes};
use service::identity::{Caller, IdentitySettings};
use service::settings::{Secret, SettingsBuilder, SettingsSection};

use crate::fixture::Fixture;

const NOW: u64 = 1_800_000_000;

#[utoipa::path(get, path = "/me", responses((status = 200)))]
async fn me(caller: Caller) -> String {
    format!("{} {:?} {:?}", caller.subject(), caller.roles(), caller.claim("service_id"))
}

#[utoipa::path(get, path = "/admin", responses((status = 200)))]
async fn admin(caller: Caller) -> HttpResult<&'static str> {
    caller.require_role("admin")?;
    Ok("welcome")
}

#[utoipa::path(get, path = "/open", responses((status = 200)))]
async fn open(caller: Option<Caller>) -> String {
    caller.map_or("nobody".to_owned(), |caller| caller.subject().to_owned())
}

fn fixture(settings: &IdentitySettings) -> Fixture {
    Fixture::with(HttpSettings::default(), settings, |_| {
        OpenApiRouter::new().routes(routes!(me)).routes(routes!(admin)).routes(routes!(open))
    })
}

fn demo() -> Fixture {
    fixture(&IdentitySettings::demo())
}

async fn ask(fixture: &Fixture, path: &str, token: &str) -> crate::fixture::Answer {
    fixture.get(path, &[("authorization", &format!("Bearer {token}"))]).await
}

#[tokio::test]
async fn a_caller_without_a_token_gets_a_challenge() {
    let answer = demo().get("/me", &[]).await;
    assert_eq!(answer.problem(), (401, "unauthenticated".to_owned()));
    assert_eq!(answer.header("www-authenticate"), "Bearer");
    assert_eq!(demo().get("/open", &[]).await.text, "nobody");
}

#[tokio::test]
async fn roles_and_claims_come_with_the_token() {
    let fixture = demo();
    let issuer = fixture.server.identity().demo_issuer().unwrap();
    let token = issuer.token_with("ann", json!({"roles": "viewer admin", "service_id": "s1"}));
    assert_eq!(
        ask(&fixture, "/me", &token).await.text,
        "ann [\"viewer\", \"admin\"] Some(String(\"s1\"))"
    );
    assert_eq!(ask(&fixture, "/admin", &token).await.text, "welcome");
    let token = issuer.token("bob", &["Admin"]);
    assert_eq!(ask(&fixture, "/admin", &token).await.problem(), (403, "role_missing".to_owned()));
    assert_eq!(ask(&fixture, "/open", &token).await.text, "bob");
}

#[tokio::test]
async fn wrong_tokens_are_refused() {
    let fixture = demo();
    let issuer = fixture.server.identity().demo_issuer().unwrap();
    let good = issuer.token("ann", &[]);
    assert_eq!(ask(&fixture, "/me", &good).await.status, 200);
    let with = |claims: Value| issuer.token_with("ann", claims);
    let part = |json: &str| URL_SAFE_NO_PAD.encode(json);
    let claims = good.split('.').nth(1).unwrap();
    let mut parts: Vec<String> = good.split('.').map(str::to_owned).collect();
    parts[1] = part(&format!(
        "{{\"iss\":\"demo\",\"aud\":\"demo\",\"sub\":\"eve\",\"exp\":{}}}",
        NOW + 60
    ));
    let wrong = [
        ("another caller under the same signature", parts.join(".")),
        ("no algorithm", format!("{}.{claims}.", part("{\"alg\":\"none\"}"))),
        ("no algorithm in capitals", format!("{}.{claims}.", part("{\"alg\":\"NONE\"}"))),
        ("no signature", format!("{}.{claims}.", part("{\"alg\":\"HS256\"}"))),
        ("other algorithm", format!("{}.{claims}.AAAA", part("{\"alg\":\"RS256\"}"))),
        ("expired", with(json!({"exp": NOW - 61}))),
        ("expired at the border", with(json!({"exp": NOW - 60}))),
        ("without an end", with(json!({"exp": null}))),
        ("an end in words", with(json!({"exp": "tomorrow"}))),
        ("not yet", with(json!({"nbf": NOW + 61}))),
        ("a begin in words", with(json!({"nbf": "later"}))),
        ("other issuer", with(json!({"iss": "evil"}))),
        ("other audience", with(json!({"aud": "others"}))),
        ("other audiences", with(json!({"aud": ["others", "more"]}))),
        ("no audience", with(json!({"aud": null}))),
        ("nobody", with(json!({"sub": ""}))),
        ("a number", with(json!({"sub": 7}))),
        ("somebody long", with(json!({"sub": "x".repeat(300)}))),
        ("nothing", String::new()),
        ("no JWT", "a.b.c".to_owned()),
        ("four parts", format!("{good}.x")),
        ("huge", format!("{good}{}", "A".repeat(1 << 17))),
    ];
    for (what, token) in wrong {
        let answer = ask(&fixture, "/me", &token).await;
        assert_eq!(answer.problem(), (401, "invalid_token".to_owned()), "{what}: {answer:?}");
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{what}");
        // Also where no caller is needed: who lies is not nobody.
        assert_eq!(ask(&fixture, "/open", &token).await.status, 401, "{what}");
    }
    for header in ["Basic YTpi", "Bearer", "", "Token x"] {
        let answer = fixture.get("/me", &[("authorization", header)]).await;
        assert_eq!(answer.problem(), (401, "invalid_credentials".to_owned()), "{header}");
    }
    let twice = [("authorization", "Bearer a"), ("authorization", "Bearer b")];
    assert_eq!(fixture.get("/me", &twice).await.problem().1, "invalid_credentials");
}

#[tokio::test]
async fn clocks_may_be_a_little_apart() {
    let fixture = demo();
    let issuer = fixture.server.identity().demo_issuer().unwrap();
    for claims in
        [json!({"exp": NOW - 59}), json!({"nbf": NOW + 60}), json!({"exp": NOW as f64 + 0.5})]
    {
        let token = issuer.token_with("ann", claims.clone());
        assert_eq!(ask(&fixture, "/me", &token).await.status, 200, "{claims}");
    }
    let token = issuer.token("ann", &[]);
    fixture.travel_seconds(3659);
    assert_eq!(ask(&fixture, "/me", &token).await.status, 200);
    fixture.travel_seconds(1);
    assert_eq!(ask(&fixture, "/me", &token).await.status, 401);
}

/// An issuer with keys of its own.
struct Issuer {
    key: EncodingKey,
    jwk: Value,
    key_id: &'static str,
    algorithm: Algorithm,
}

impl Issuer {
    fn ec(key_id: &'static str) -> Self {
        let pkcs8 =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            pkcs8.as_ref(),
            &SystemRandom::new(),
        )
        .unwrap();
        let point = pair.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        let jwk = json!({"kty": "EC", "crv": "P-256", "kid": key_id, "use": "sig", "alg": "ES256", "x": x, "y": y});
        Self {
            key: EncodingKey::from_ec_der(pkcs8.as_ref()),
            jwk,
            key_id,
            algorithm: Algorithm::ES256,
        }
    }

    fn token(&self, claims: &Value) -> String {
        let mut all =
            json!({"iss": "https://issuer.example", "aud": "us", "sub": "ann", "exp": NOW + 600});
        all.as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
        let header = Header { kid: Some(self.key_id.to_owned()), ..Header::new(self.algorithm) };
        encode(&header, &all, &self.key).unwrap()
    }
}

fn published(jwks: &str) -> IdentitySettings {
    IdentitySettings {
        issuer: "https://issuer.example".to_owned(),
        audience: "us".to_owned(),
        jwks: jwks.to_owned(),
        ..IdentitySettings::default()
    }
}

#[tokio::test]
async fn tokens_of_an_issuer_are_checked_with_its_published_keys() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    let issuer = Issuer::ec("one");
    let keys = json!({"keys": [{"kty": "unheard-of"}, issuer.jwk]});
    std::fs::write(&file, keys.to_string()).unwrap();
    let fixture = fixture(&published(file.to_str().unwrap()));
    assert!(fixture.server.identity().demo_issuer().is_none());
    assert_eq!(ask(&fixture, "/me", &issuer.token(&json!({}))).await.status, 200);
    // Another key under the same name, and a secret made of what is public.
    assert_eq!(ask(&fixture, "/me", &Issuer::ec("one").token(&json!({}))).await.status, 401);
    let public = EncodingKey::from_secret(keys.to_string().as_bytes());
    let confused =
        Issuer { key: public, algorithm: Algorithm::HS256, jwk: Value::Null, key_id: "one" };
    let answer = ask(&fixture, "/me", &confused.token(&json!({}))).await;
    assert!(
        answer.problem().0 == 401 && answer.text.contains("HS256 is not accepted"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn rsa_keys_work_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    let key = EncodingKey::from_rsa_pem(include_bytes!("rsa.pem")).unwrap();
    let mut jwk = serde_json::to_value(
        jsonwebtoken::jwk::Jwk::from_encoding_key(&key, Algorithm::RS256).unwrap(),
    )
    .unwrap();
    jwk["kid"] = "r".into();
    std::fs::write(&file, json!({"keys": [jwk]}).to_string()).unwrap();
    let fixture = fixture(&published(file.to_str().unwrap()));
    let issuer = Issuer { key, jwk, key_id: "r", algorithm: Algorithm::RS256 };
    assert_eq!(ask(&fixture, "/me", &issuer.token(&json!({}))).await.status, 200);
    let other = Issuer { algorithm: Algorithm::RS512, ..issuer };
    assert_eq!(ask(&fixture, "/me", &other.token(&json!({}))).await.status, 401);
}

#[tokio::test]
async fn rotated_keys_are_fetched_and_made_up_ones_do_not_hammer_the_issuer() {
    let (one, two) = (Issuer::ec("one"), Issuer::ec("two"));
    let state = Arc::new(Mutex::new((json!({"keys": [one.jwk]}), 0)));
    let shared = Arc::clone(&state);
    let keys = move || {
        let mut state = shared.lock().unwrap();
        state.1 += 1;
        std::future::ready(state.0.to_string())
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let router = axum::Router::new().route("/keys", axum::routing::get(keys));
    let served = tokio::spawn(async move { axum::serve(listener, router).await });
    let fixture = fixture(&published(&url));
    let fetched = || state.lock().unwrap().1;
    for _ in 0..3 {
        assert_eq!(ask(&fixture, "/me", &one.token(&json!({}))).await.status, 200);
    }
    assert_eq!(fetched(), 1);
    // The issuer rotates; a token with the new key makes us look, but not more than every 30 seconds.
    state.lock().unwrap().0 = json!({"keys": [two.jwk]});
    for _ in 0..3 {
        assert_eq!(ask(&fixture, "/me", &two.token(&json!({}))).await.status, 401);
    }
    assert_eq!(fetched(), 1);
    fixture.travel_seconds(30);
    assert_eq!(ask(&fixture, "/me", &two.token(&json!({}))).await.status, 200);
    assert_eq!(ask(&fixture, "/me", &one.token(&json!({}))).await.status, 401);
    assert_eq!(fetched(), 2);
    // VerificationKeys that were right serve on while the issuer is away.
    served.abort();
    let _ = served.await;
    fixture.travel_seconds(3601);
    let late = two.token(&json!({"exp": NOW + 9000}));
    assert_eq!(ask(&fixture, "/me", &late).await.status, 200);
}

#[tokio::test]
async fn an_unreachable_issuer_is_reported() {
    let fixture = fixture(&published("no-such-file.json"));
    let answer = ask(&fixture, "/me", &Issuer::ec("one").token(&json!({}))).await;
    assert_eq!(answer.problem().0, 401);
    assert!(answer.text.contains("keys of the issuer cannot be read"), "{}", answer.text);
}

#[test]
fn identity_settings_are_checked() {
    #[derive(Default, serde::Serialize, serde::Deserialize)]
    #[serde(default, rename_all = "PascalCase")]
    struct All {
        identity: IdentitySettings,
    }
    impl SettingsSection for All {
        fn validate(&self, validator: &mut service::settings::SettingsValidator) {
            validator.section("Identity", &self.identity);
        }
    }
    let load = |text: &str| {
        SettingsBuilder::new().text("t", text).load::<All>().map_err(|all| all.to_string())
    };
    let report = load("").err().unwrap();
    assert!(report.starts_with("3 errors") && report.contains("Identity:Jwks"), "{report}");
    assert!(load("Identity.Mode = 'demo'").is_ok());
    let report = load("Identity = { Mode = 'demo', Secret = 'short', AllowedOrigins = ['x'] }")
        .err()
        .unwrap();
    assert!(report.starts_with("2 errors") && !report.contains("short"), "{report}");
    let report = load("Identity = { Issuer = 'i', Audience = 'a', Jwks = 'http://else.where/k' }")
        .err()
        .unwrap();
    assert!(report.contains("https"), "{report}");
}

#[tokio::test]
async fn a_caller_is_not_named_in_logs() {
    let fixture = demo();
    let token = fixture.token("ann@example.com", &[]);
    let mut headers = axum::http::HeaderMap::new();
    headers.insert("authorization", token.parse().unwrap());
    let identified = fixture.server.identity().identify(&Method::GET, &headers).await;
    assert!(!format!("{identified:?} {:?}", fixture.server).contains("ann"));
    let secret =
        IdentitySettings { demo_secret: Secret::new("hush".repeat(9)), ..IdentitySettings::demo() };
    assert!(!format!("{secret:?}").contains("hush"));
}
