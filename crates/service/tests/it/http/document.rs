//! The OpenAPI document agrees with the routes, or a test says where not.

use axum::routing::get;
use service::http::{Asset, OpenApiRouter, disagreements, routes};
use service::identity::session_routes;

use crate::ground::Ground;

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
async fn documented_routes_agree() {
    let ground = Ground::new(|kit| {
        OpenApiRouter::new().routes(routes!(read, write)).merge(session_routes(kit.identity()))
    });
    assert_eq!(disagreements(&ground.router, &[]).await, [""; 0]);
    let document = ground.get("/openapi.json", &[]).await.json();
    assert!(document["paths"]["/things/{id}"]["post"].is_object());
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    let page = Asset::new("/", "text/html", b"");
    let router = ground.kit.router(OpenApiRouter::new(), &[page]);
    assert_eq!(disagreements(&router, &["/"]).await, [""; 0]);
    assert_eq!(disagreements(&router, &[]).await, ["/ is routed and not documented"]);
}

#[tokio::test]
async fn every_kind_of_disagreement_is_found() {
    let mut document = OpenApiRouter::<()>::new().routes(routes!(read)).into_openapi();
    let (mut other, _) = (OpenApiRouter::<()>::new().routes(routes!(write)).into_openapi(), ());
    let path = other.paths.paths.remove("/things/{id}").unwrap();
    document.paths.paths.insert("/ghosts".to_owned(), path);
    let plain =
        axum::Router::new().route("/things/{id}", get(read).put(read)).route("/hidden", get(read));
    let api = OpenApiRouter::with_openapi(document).merge(plain.into());
    let ground = Ground::new(|_| api);
    let later = ground.router.clone().route("/later", get(read));
    let found = disagreements(&later, &["/gone"]).await;
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
