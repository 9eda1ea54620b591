//! CH-084: sign-in by an issuer that speaks OpenID Connect: who is admitted, as whom, with which role.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use client::TimestampMs;
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tower::ServiceExt as _;

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
        let mut settings = settings();
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
            issuer: issuer.url.clone(),
            audience: CLIENT.to_owned(),
            client_id: CLIENT.to_owned(),
            redirect_uris: vec!["https://app.example/session/callback".to_owned()],
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
