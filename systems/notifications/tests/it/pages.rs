//! The page as it is served: all of its files, with a strict content security policy.

use std::fs;
use std::path::Path;

use notifications::PAGES;

use crate::site::Site;
use crate::world::World;

/// The paths of the files in `page/`.
fn paths() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let path = |name: String| match name.as_str() {
        "index.html" => "/".to_owned(),
        name => format!("/page/{name}"),
    };
    names.map(|name| path(name.into_string().unwrap())).collect()
}

#[tokio::test]
async fn every_file_of_the_page_is_served_under_a_strict_policy() {
    let site = Site::new().await;
    assert_eq!(paths().len(), PAGES.len());
    for path in paths() {
        let response = site.respond(None, "GET", &path, None).await;
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        let kind = match path.rsplit('.').next() {
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            _ => "text/html",
        };
        assert!(header("content-type").starts_with(kind), "{path}");
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn there_are_only_pages_and_documented_routes() {
    let site = Site::on(World::new().await).await;
    let router = site.world.system.router(&site.server, PAGES);
    let paths = paths();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    assert_eq!(service::http::openapi_mismatches(&router, &paths).await, Vec::<String>::new());
}
