//! The page as it is served: all of its files, with a strict content security policy.

use std::fs;
use std::path::Path;

use axum::body::Body;
use axum::http::Request;
use chat::PAGES;
use service::http::openapi_mismatches;
use tower::ServiceExt as _;

use crate::site::Site;
use crate::world::{Embedded, settings};

/// The paths of the files in `page/`; the page itself is at two.
fn paths() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let path = |name: String| match name.as_str() {
        "index.html" => "/".to_owned(),
        name => format!("/page/{name}"),
    };
    let paths = names.map(|name| path(name.into_string().unwrap()));
    paths.chain(["/chat".to_owned()]).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_file_of_the_page_is_served_under_a_strict_policy() {
    let site = Site::new::<Embedded>(settings()).await;
    let router = site.world.chat.router(&site.interface.server, PAGES);
    assert_eq!(paths().len(), PAGES.len());
    for path in paths() {
        let request = Request::get(&path).header("host", "localhost").body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
    let paths = paths();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    assert_eq!(openapi_mismatches(&router, &paths).await, Vec::<String>::new());
}
