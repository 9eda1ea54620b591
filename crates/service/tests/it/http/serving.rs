//! A service on a socket: health, metrics, and graceful shutdown.

use std::time::Duration;

use service::http::{HealthStatus, HttpSettings, OpenApiRouter, routes};
use service::identity::IdentitySettings;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::fixture::Fixture;

#[utoipa::path(get, path = "/quick", responses((status = 200)))]
async fn quick() -> &'static str {
    "ok"
}

#[tokio::test]
async fn readiness_reports_each_check() {
    let fixture = Fixture::new(|_| OpenApiRouter::new());
    assert_eq!(fixture.get("/healthz", &[]).await.json()["status"], "alive");
    let health = fixture.server.health();
    health.add_check("store", async || HealthStatus::Ready);
    assert_eq!(fixture.get("/readyz", &[]).await.json()["status"], "ready");
    health.add_check("push", async || HealthStatus::Degraded("5 errors".to_owned()));
    let answer = fixture.get("/readyz", &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (200, &"degraded".into()));
    assert_eq!(answer.json()["checks"]["push"]["why"], "5 errors");
    health.add_check("store", async || HealthStatus::Failing("gone".to_owned()));
    let answer = fixture.get("/readyz", &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (503, &"failing".into()));
    health.add_check("store", async || HealthStatus::Ready);
    fixture.server.shutdown().trigger();
    let answer = fixture.get("/readyz", &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (503, &"stopping".into()));
}

#[tokio::test(start_paused = true)]
async fn a_check_that_hangs_has_failed() {
    let fixture = Fixture::new(|_| OpenApiRouter::new());
    fixture.server.health().add_check("store", std::future::pending);
    let answer = fixture.get("/readyz", &[]).await;
    assert_eq!(answer.json()["checks"]["store"]["why"], "no answer in 5 s");
}

#[tokio::test]
async fn requests_are_counted_by_route_and_not_by_path() {
    let fixture = Fixture::new(|_| OpenApiRouter::new().routes(routes!(quick)));
    for path in ["/quick", "/quick", "/a", "/b"] {
        fixture.get(path, &[]).await;
    }
    let metrics = fixture.get("/metrics", &[]).await;
    let text = &metrics.text;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert!(
        text.contains("http_requests_total{method=\"GET\",route=\"/quick\",status=\"200\"} 2\n"),
        "{text}"
    );
    assert!(
        text.contains("http_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 2\n"),
        "{text}"
    );
    assert!(text.contains("http_request_seconds_count{route=\"/quick\"} 2\n"), "{text}");
}

#[tokio::test]
async fn a_request_that_runs_at_shutdown_is_finished() {
    let (started, wait_started) = oneshot::channel::<()>();
    let (go_on, wait) = oneshot::channel::<()>();
    let once = std::sync::Mutex::new(Some((started, wait)));
    let once = std::sync::Arc::new(once);
    let slow = axum::Router::new().route(
        "/slow",
        axum::routing::get(move || {
            let (started, wait) = once.lock().unwrap().take().unwrap();
            async move {
                started.send(()).unwrap();
                wait.await.unwrap();
                "finished"
            }
        }),
    );
    let http = HttpSettings { grace_seconds: 60, ..HttpSettings::default() };
    let fixture = Fixture::with(http, &IdentitySettings::demo(), |_| slow.into());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (server, router) = (fixture.server.clone(), fixture.router.clone());
    let served = tokio::spawn(async move { server.serve_at(listener, router).await });
    let asked = tokio::spawn(reqwest::get(format!("{url}/slow")));
    wait_started.await.unwrap();
    fixture.server.shutdown().trigger();
    go_on.send(()).unwrap();
    assert_eq!(asked.await.unwrap().unwrap().text().await.unwrap(), "finished");
    served.await.unwrap().unwrap();
    assert!(reqwest::get(format!("{url}/healthz")).await.is_err());
}

#[tokio::test]
async fn a_request_that_hangs_at_shutdown_is_aborted() {
    let hanging =
        axum::Router::new().route("/hang", axum::routing::get(std::future::pending::<()>));
    let http = HttpSettings { grace_seconds: 0, ..HttpSettings::default() };
    let fixture = Fixture::with(http, &IdentitySettings::demo(), |_| hanging.into());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (server, router) = (fixture.server.clone(), fixture.router.clone());
    let served = tokio::spawn(async move { server.serve_at(listener, router).await });
    let asked = tokio::spawn(reqwest::get(format!("{url}/hang")));
    tokio::time::sleep(Duration::from_millis(50)).await;
    fixture.server.shutdown().trigger();
    served.await.unwrap().unwrap();
    asked.abort();
}

#[tokio::test]
async fn the_error_for_an_address_in_use_names_the_setting() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let http = HttpSettings { listen: listen.clone(), ..HttpSettings::default() };
    let fixture = Fixture::with(http, &IdentitySettings::demo(), |_| OpenApiRouter::new());
    let error = fixture.server.serve(fixture.router.clone()).await.unwrap_err().to_string();
    assert!(error.contains(&listen) && error.contains("Http:Listen"), "{error}");
}
