//! Who may call: everybody as one user, with an access code or without, and people with tokens.

use serde_json::json;
use service::settings::Secret;
use worlds::{AccessMode, WorldsSettings};

use crate::stage::{Embedded, Stage};

fn anonymous(code: &str) -> WorldsSettings {
    let mut settings = WorldsSettings::default();
    settings.access_control.mode = AccessMode::Anonymous;
    settings.access_control.access_code = Secret::new(code);
    settings
}

#[tokio::test]
async fn without_sign_in_everybody_is_one_user_of_the_own_origin() {
    let stage = Stage::with::<Embedded>(anonymous("")).await;
    let site = &stage.site;
    let status = site.call(None, "GET", "/api/config/access-status", None, &[]).await;
    assert_eq!(status.body, json!({ "signInRequired": false, "accessCodeRequired": false }));
    let body = || Some(json!({ "name": "Ours" }));
    let created = site.call(None, "POST", "/api/v1/worlds", body(), &[]).await;
    assert_eq!((created.status, &created.data()["ownerId"]), (201, &json!("_anonymous")));
    let listed = site.call(None, "GET", "/api/v1/worlds", None, &[]).await;
    assert_eq!(listed.names(), ["Ours"]);
    // A page of another site could send this in a visitor's browser.
    let foreign = [("origin", "https://evil.example")];
    let refused = site.call(None, "POST", "/api/v1/worlds", body(), &foreign).await;
    assert_eq!((refused.status, refused.code()), (403, "foreign_origin"));
}

#[tokio::test]
async fn an_access_code_is_needed_where_it_is_set() {
    let stage = Stage::with::<Embedded>(anonymous("open sesame")).await;
    let site = &stage.site;
    let status = site.call(None, "GET", "/api/config/access-status", None, &[]).await;
    assert_eq!(status.body["accessCodeRequired"], true);
    for headers in [&[][..], &[("x-access-code", "open")], &[("x-access-code", "")]] {
        let refused = site.call(None, "GET", "/api/v1/worlds", None, headers).await;
        assert_eq!((refused.status, refused.code()), (401, "access_code_needed"));
    }
    let headers = [("x-access-code", "open sesame")];
    assert_eq!(site.call(None, "GET", "/api/v1/worlds", None, &headers).await.status, 200);
}

#[tokio::test]
async fn the_document_describes_every_route() {
    let stage = Stage::new::<Embedded>().await;
    let pages: Vec<&str> = worlds::WORLD_PAGES.iter().map(|page| page.path).collect();
    let mismatches = service::http::openapi_mismatches(&stage.site.router, &pages).await;
    assert_eq!(mismatches, Vec::<String>::new());
}
