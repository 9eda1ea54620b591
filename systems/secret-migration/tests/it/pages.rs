//! The page as it is served: all of its files, with a strict content security policy.

use std::path::Path;

use secret_migration::PAGES;
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;

use crate::world::{Embedded, World};

/// The paths of the files in `page/`.
fn paths() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let path = |name: String| match name.as_str() {
        "index.html" => "/".to_owned(),
        name => format!("/page/{name}"),
    };
    names.map(|name| path(name.into_string().unwrap())).collect()
}

#[tokio::test]
async fn every_file_is_served_under_a_strict_policy_and_nothing_else() {
    let world = World::new::<Embedded>().await;
    let environment = world.environment.clone();
    let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
    let server = HttpServer::new(environment, HttpSettings::default(), identity);
    let router = world.system.router(&server, PAGES);
    let known = paths();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    assert_eq!(known.len(), PAGES.len());
    assert_eq!(service::http::openapi_mismatches(&router, &known).await, Vec::<String>::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = server.clone();
    tokio::spawn(async move { serving.serve_at(listener, router).await.unwrap() });
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for path in known {
        let response = client.get(format!("http://{address}{path}")).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
    server.shutdown().trigger();
}
