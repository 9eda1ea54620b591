//! Rate limits, page limits, and static files.

use axum::http::Method;
use service::http::{Asset, HttpSettings, OpenApiRouter, routes};
use service::identity::IdentitySettings;

use crate::fixture::Fixture;

#[utoipa::path(get, path = "/free", responses((status = 200)))]
async fn free() -> &'static str {
    "ok"
}

#[tokio::test]
async fn each_caller_has_its_own_bucket_and_gets_its_limits_in_headers() {
    let http = HttpSettings { requests_per_minute: 2, ..HttpSettings::default() };
    let fixture = Fixture::with(http, &IdentitySettings::demo(), |_| {
        OpenApiRouter::new().routes(routes!(free))
    });
    let (ann, bob) = (fixture.token("ann", &[]), fixture.token("bob", &[]));
    for remaining in ["1", "0"] {
        let answer = fixture.get("/free", &[("authorization", &ann)]).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("ratelimit-limit"), "2");
        assert_eq!(answer.header("ratelimit-remaining"), remaining);
    }
    let answer = fixture.get("/free", &[("authorization", &ann)]).await;
    assert_eq!(answer.problem(), (429, "rate_limited".to_owned()));
    assert_eq!((answer.header("retry-after"), answer.header("ratelimit-remaining")), ("30", "0"));
    assert_eq!(answer.header("ratelimit-reset"), "60");
    assert_eq!(fixture.get("/free", &[("authorization", &bob)]).await.status, 200);
    // Health is for operators, and has no limit.
    for _ in 0..5 {
        assert_eq!(fixture.get("/healthz", &[]).await.status, 200);
    }
    fixture.travel_seconds(30);
    assert_eq!(fixture.get("/free", &[("authorization", &ann)]).await.status, 200);
}

#[tokio::test]
async fn made_up_tokens_do_not_get_buckets_of_their_own() {
    let http = HttpSettings { requests_per_minute: 1, ..HttpSettings::default() };
    let fixture = Fixture::with(http, &IdentitySettings::demo(), |_| {
        OpenApiRouter::new().routes(routes!(free))
    });
    assert_eq!(fixture.get("/free", &[("authorization", "Bearer a.b.c")]).await.status, 200);
    assert_eq!(fixture.get("/free", &[("authorization", "Bearer d.e.f")]).await.status, 429);
}

#[tokio::test]
async fn pages_have_a_type_an_etag_and_a_policy() {
    let mut fixture = Fixture::new(|_| OpenApiRouter::new());
    let page = Asset::new("/", "text/html; charset=utf-8", b"<p>hello");
    fixture.router = fixture.server.router(OpenApiRouter::new(), &[page]);
    let first = fixture.get("/", &[]).await;
    assert_eq!((first.status.as_u16(), first.text.as_str()), (200, "<p>hello"));
    assert_eq!(first.header("content-type"), "text/html; charset=utf-8");
    assert!(first.header("content-security-policy").contains("script-src 'self'"));
    let etag = first.header("etag");
    let again = fixture.get("/", &[("if-none-match", etag)]).await;
    assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
    assert_eq!(again.header("etag"), etag);
    assert_eq!(fixture.get("/", &[("if-none-match", "\"other\"")]).await.status, 200);
    assert_eq!(fixture.ask(Method::POST, "/", &[], "").await.problem().0, 405);
}
