//! The comparison of the OpenAPI document with the routes.

use axum::routing::get;
use service::http::{Asset, OpenApiRouter, openapi_mismatches, routes};
use service::identity::session_routes;

use crate::fixture::Fixture;

#[utoipa::path(get, path = "/things/{id}", params(("id" = String, Path)),
    responses((status = 200)))]
async fn read() -> &'static str {
    "ok"
}

#[utoipa::path(post, path = "/things/{id}", params(("id" = String, Path)),
    responses((status = 200)))]
async fn write() -> &'static str {
    "ok"
}

#[tokio::test]
async fn documented_routes_match() {
    let fixture = Fixture::new(|server| {
        OpenApiRouter::new().routes(routes!(read, write)).merge(session_routes(server.identity()))
    });
    assert_eq!(openapi_mismatches(&fixture.router, &[]).await, [""; 0]);
    let document = fixture.get("/openapi.json", &[]).await.json();
    assert!(document["paths"]["/things/{id}"]["post"].is_object());
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    let page = Asset::new("/", "text/html", b"");
    let router = fixture.server.router(OpenApiRouter::new(), &[page]);
    assert_eq!(openapi_mismatches(&router, &["/"]).await, [""; 0]);
    assert_eq!(openapi_mismatches(&router, &[]).await, ["/ is routed and not documented"]);
}

#[tokio::test]
async fn every_kind_of_mismatch_is_found() {
    let mut document = OpenApiRouter::<()>::new().routes(routes!(read)).into_openapi();
    let (mut other, _) = (OpenApiRouter::<()>::new().routes(routes!(write)).into_openapi(), ());
    let path = other.paths.paths.remove("/things/{id}").unwrap();
    document.paths.paths.insert("/ghosts".to_owned(), path);
    let plain =
        axum::Router::new().route("/things/{id}", get(read).put(read)).route("/hidden", get(read));
    let api = OpenApiRouter::with_openapi(document).merge(plain.into());
    let fixture = Fixture::new(|_| api);
    let later = fixture.router.clone().route("/later", get(read));
    let found = openapi_mismatches(&later, &["/gone"]).await;
    assert_eq!(
        found,
        [
            "/hidden is routed and not documented",
            "/later is routed and not documented",
            "/gone is said to be undocumented and is not routed",
            "POST /ghosts is documented and not routed",
            "PUT /things/{id} is routed and not documented",
        ]
    );
}
