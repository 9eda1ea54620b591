//! The comparison of the OpenAPI document with the routes.

use axum::routing::get;
use service::http::{ApiDescription, Asset, OpenApiRouter, openapi_mismatches, routes};
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
        server.describe(ApiDescription::new("Things", "4.5.6", "Reads and writes things."));
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
            "the title is \"Planisphere service\": call HttpServer::describe",
            "/hidden is routed and not documented",
            "/later is routed and not documented",
            "/gone is said to be undocumented and is not routed",
            "POST /ghosts is documented and not routed",
            "PUT /things/{id} is routed and not documented",
        ]
    );
}

#[tokio::test]
async fn a_document_is_about_the_service_and_not_about_a_library() {
    let fixture = Fixture::new(|server| {
        server.describe(ApiDescription::new("Things", "4.5.6", "Reads and writes things."));
        OpenApiRouter::new().routes(routes!(read, write)).merge(session_routes(server.identity()))
    });
    let document = fixture.get("/openapi.json", &[]).await.json();
    let info = document["info"].as_object().unwrap();
    assert_eq!((&info["title"], &info["version"]), (&"Things".into(), &"4.5.6".into()));
    assert_eq!(info["description"], "Reads and writes things.");
    assert_eq!(info.len(), 3, "no author, licence or contact of others: {info:?}");
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["bearer"]["bearerFormat"], "JWT");
    assert_eq!(
        (&schemes["session"]["in"], &schemes["session"]["name"]),
        (&"cookie".into(), &"session".into())
    );
    assert_eq!(
        (&schemes["csrf"]["in"], &schemes["csrf"]["name"]),
        (&"header".into(), &"x-csrf-token".into())
    );
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let security = operation["security"].as_array().unwrap();
            let expected = match (path.as_str(), method.as_str()) {
                // People who are not signed in yet use these.
                (
                    "/session/sign-in" | "/session/methods" | "/session/oidc" | "/session/callback",
                    _,
                ) => serde_json::json!([{}]),
                (_, "get") => serde_json::json!([{"bearer": []}, {"session": []}]),
                _ => serde_json::json!([{"bearer": []}, {"csrf": [], "session": []}]),
            };
            assert_eq!(*security, *expected.as_array().unwrap(), "{method} {path}");
            for (status, response) in operation["responses"].as_object().unwrap() {
                let text = response["description"].as_str().unwrap();
                assert!(text.len() > 5, "{method} {path} {status} has no description");
            }
        }
    }
}
