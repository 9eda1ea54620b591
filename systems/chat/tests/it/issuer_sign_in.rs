//! CH-084: sign-in by an issuer that speaks OpenID Connect: who is admitted, as whom, with which role.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use client::TimestampMs;
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tower::ServiceExt as _;

use chat::ChatSettings;

use crate::world::{ALICE, Embedded, World, settings, user};
use issuer::{CLIENT, Misbehaviour, NOW, TestIssuer};

#[allow(dead_code)]
#[path = "../../../../crates/service/tests/it/identity/issuer.rs"]
mod issuer;

const TENANT: &str = "12345678-1234-1234-1234-123456789abc";

struct Visit {
    world: World,
    issuer: TestIssuer,
    router: Router,
}

impl Visit {
    async fn new() -> Self {
        Self::with(settings(), |issuer| issuer.to_owned()).await
    }

    /// With an issuer whose name is made of its address.
    async fn with(mut settings: ChatSettings, name: impl Fn(&str) -> String) -> Self {
        settings.entra_id.client_id = CLIENT.to_owned();
        settings.entra_id.authorization.allowed_tenants = vec![TENANT.to_owned()];
        settings.entra_id.authorization.home_tenant_id = TENANT.to_owned();
        let world = World::with::<Embedded>(settings).await;
        world.clock.set(TimestampMs(NOW * 1000));
        let change =
            chat::UserChange { upn: Some("Alice@Contoso.com".into()), ..Default::default() };
        world.chat.change_user(ALICE, change).await.unwrap();
        let issuer = TestIssuer::start(false).await;
        let identity = IdentitySettings {
            issuer: name(&issuer.url),
            audience: CLIENT.to_owned(),
            client_id: CLIENT.to_owned(),
            redirect_uris: vec!["https://app.example/signin-oidc".to_owned()],
            callback_path: "/signin-oidc".to_owned(),
            signed_out_path: "/signout-oidc".to_owned(),
            ..IdentitySettings::default()
        };
        let identity = Identity::new(world.environment.clone(), &identity).unwrap();
        let server = HttpServer::new(world.environment.clone(), HttpSettings::default(), identity);
        let router = world.chat.router(&server, &[]);
        Self { world, issuer, router }
    }

    async fn get(&self, path: &str, cookies: &str) -> (u16, HeaderMap, Value) {
        let request = Request::get(path).header("host", "app.example").header("cookie", cookies);
        let answer =
            self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (head, body) = answer.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        (head.status.as_u16(), head.headers, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Signs in with these claims; the page that follows and the cookies.
    async fn sign_in(&self, claims: Value) -> (String, String) {
        self.issuer.misbehave(Misbehaviour { claims, ..Misbehaviour::default() });
        let (status, headers, _) = self.get("/api/auth/signin/entra?returnUrl=/chat", "").await;
        assert_eq!(status, 302);
        let (_, headers, _) = self.get(headers["location"].to_str().unwrap(), "").await;
        let callback = self.issuer.visit(headers["location"].to_str().unwrap()).await;
        // EntraId:CallbackPath.
        assert!(callback.starts_with("https://app.example/signin-oidc?"), "{callback}");
        let path = callback.strip_prefix("https://app.example").unwrap().to_owned();
        let (status, headers, _) = self.get(&path, &cookies(&headers)).await;
        assert_eq!(status, 303);
        (headers["location"].to_str().unwrap().to_owned(), cookies(&headers))
    }
}

fn cookies(headers: &HeaderMap) -> String {
    let lines = headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap());
    lines.map(|line| line.split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_with_a_known_upn_signs_in_and_its_profile_is_kept() {
    let visit = Visit::new().await;
    let claims = json!({
        "preferred_username": "alice@contoso.com", "tid": TENANT, "name": "Alice J.", "ctry": "PL",
        "roles": ["Admin.ReadWrite"],
    });
    let (page, cookies) = visit.sign_in(claims).await;
    assert_eq!(page, "/chat");
    assert_eq!(visit.get("/api/auth/me", &cookies).await.2["userName"], ALICE);
    assert_eq!(visit.get("/api/admin/users", &cookies).await.0, 200, "the role of the home tenant");
    let stored =
        visit.world.chat.users().get_by_user_name(&user(ALICE)).await.unwrap().value.unwrap();
    assert_eq!(
        (stored.display_name.as_deref(), stored.country.as_deref()),
        (Some("Alice J."), Some("PL"))
    );
    assert_eq!(stored.tenant_id.as_deref(), Some(TENANT));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_other_tenants_and_personal_accounts_are_denied() {
    let visit = Visit::new().await;
    let consumer = "9188040d-6c67-4c5b-b112-36a304b66dad";
    for claims in [
        json!({ "preferred_username": "mallory@contoso.com", "tid": TENANT }),
        json!({ "preferred_username": "alice@contoso.com", "tid": "another" }),
        json!({ "preferred_username": "alice@contoso.com" }),
        json!({ "preferred_username": "alice@contoso.com", "tid": consumer }),
        json!({ "tid": TENANT }),
    ] {
        let (page, cookies) = visit.sign_in(claims.clone()).await;
        assert_eq!(page, "/?signInError=denied", "{claims}");
        assert_eq!(visit.get("/api/auth/me", &cookies).await.0, 401);
    }
    assert_eq!(
        visit.world.chat.users().get_all().await.unwrap().value.len(),
        3,
        "nobody is provisioned"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_of_several_tenants_sign_in_by_one_issuer_for_organizations() {
    let other = "22345678-1234-1234-1234-123456789abc";
    let mut settings = settings();
    settings.entra_id.authorization.allowed_tenants = vec![TENANT.to_owned(), other.to_owned()];
    let visit = Visit::with(settings, |address| {
        let entra = chat::EntraSettings { instance: address.to_owned(), ..Default::default() };
        assert_eq!(entra.tenant_id, "organizations");
        entra.issuer()
    })
    .await;
    let of = |tenant: &str| format!("{}/{tenant}/v2.0", visit.issuer.url);
    let person = |issuer: String, tenant: &str| {
        let name = "alice@contoso.com";
        json!({ "iss": issuer, "tid": tenant, "preferred_username": name })
    };
    let (page, cookies) = visit.sign_in(person(of(TENANT), TENANT)).await;
    assert_eq!(page, "/chat");
    assert_eq!(visit.get("/api/auth/me", &cookies).await.2["userName"], ALICE);
    // A token of one tenant that claims to be of another, and one of no tenant.
    for (claims, page) in [
        (person(of(other), TENANT), "/?signInError=failed"),
        (person(of("organizations"), "organizations"), "/?signInError=failed"),
        (person("https://evil.example/v2.0".to_owned(), TENANT), "/?signInError=failed"),
        // Valid, and not allowed: only tenants of the list are.
        (
            person(
                of("32345678-1234-1234-1234-123456789abc"),
                "32345678-1234-1234-1234-123456789abc",
            ),
            "/?signInError=denied",
        ),
    ] {
        assert_eq!(visit.sign_in(claims.clone()).await.0, page, "{claims}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_learns_how_people_sign_in_and_codes_can_be_off() {
    let mut settings = settings();
    settings.entra_id.fallback.otp_for_unauthorized_users = true;
    settings.entra_id.automatic_sso.enable = true;
    settings.entra_id.automatic_sso.attempt_cookie_name = "tried".to_owned();
    let visit = Visit::with(settings.clone(), str::to_owned).await;
    let (_, _, ways) = visit.get("/api/auth/ways", "").await;
    assert_eq!(
        ways,
        json!({
            "oneTimeCode": true, "oneTimeCodeAfterDenial": true, "automatic": true,
            "oncePerSession": true, "attemptCookie": "tried",
        })
    );
    settings.entra_id.fallback.enable_otp = false;
    let visit = Visit::with(settings, str::to_owned).await;
    let (_, _, ways) = visit.get("/api/auth/ways", "").await;
    assert_eq!(
        (&ways["oneTimeCode"], &ways["oneTimeCodeAfterDenial"]),
        (&json!(false), &json!(false))
    );
    for (path, body) in [
        ("/api/auth/start", json!({ "userName": ALICE })),
        ("/api/auth/verify", json!({ "userName": ALICE, "code": "123456" })),
    ] {
        let request = Request::post(path).header("host", "app.example");
        let request = request.header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        assert_eq!(visit.router.clone().oneshot(request).await.unwrap().status(), 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_signs_out_at_the_issuer_comes_back_to_the_first_page() {
    let visit = Visit::new().await;
    let claims = json!({ "preferred_username": "alice@contoso.com", "tid": TENANT });
    let (_, cookies) = visit.sign_in(claims).await;
    let csrf = cookies.split("; ").find_map(|pair| {
        pair.split_once('=').filter(|(name, _)| name.ends_with("csrf")).map(|(_, value)| value)
    });
    let request = Request::post("/session/sign-out").header("host", "app.example");
    let request = request.header("cookie", &cookies).header("x-csrf-token", csrf.unwrap());
    let answer = visit.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let url = body["endSessionUrl"].as_str().unwrap();
    assert!(
        url.contains("post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fsignout-oidc"),
        "{url}"
    );
    let (status, headers, _) = visit.get("/signout-oidc", "").await;
    assert_eq!((status, headers["location"].to_str().unwrap()), (302, "/?signedOut=1"));
}
