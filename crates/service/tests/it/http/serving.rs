//! A service on a socket: health, metrics, and the graceful stop.

use std::time::Duration;

use service::http::{HttpSettings, OpenApiRouter, Standing, routes};
use service::identity::IdentitySettings;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::ground::Ground;

#[utoipa::path(get, path = "/quick", responses((status = 200)))]
async fn quick() -> &'static str {
    "ok"
}

#[tokio::test]
async fn readiness_tells_each_check() {
    let ground = Ground::new(|_| OpenApiRouter::new());
    assert_eq!(ground.get("/healthz", &[]).await.json()["status"], "alive");
    let health = ground.kit.health();
    health.check("store", async || Standing::Ready);
    assert_eq!(ground.get("/readyz", &[]).await.json()["status"], "ready");
    health.check("push", async || Standing::Degraded("5 errors".to_owned()));
    let answer = ground.get("/readyz", &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (200, &"degraded".into()));
    assert_eq!(answer.json()["checks"]["push"]["why"], "5 errors");
    health.check("store", async || Standing::Failing("gone".to_owned()));
    let answer = ground.get("/readyz", &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (503, &"failing".into()));
    health.check("store", async || Standing::Ready);
    ground.kit.stop().stop();
    let answer = ground.get("/readyz", &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (503, &"stopping".into()));
}

#[tokio::test(start_paused = true)]
async fn a_check_that_hangs_has_failed() {
    let ground = Ground::new(|_| OpenApiRouter::new());
    ground.kit.health().check("store", std::future::pending);
    let answer = ground.get("/readyz", &[]).await;
    assert_eq!(answer.json()["checks"]["store"]["why"], "no answer in 5 s");
}

#[tokio::test]
async fn requests_are_counted_by_route_and_not_by_path() {
    let ground = Ground::new(|_| OpenApiRouter::new().routes(routes!(quick)));
    for path in ["/quick", "/quick", "/a", "/b"] {
        ground.get(path, &[]).await;
    }
    let metrics = ground.get("/metrics", &[]).await;
    let text = &metrics.text;
    assert!(metrics.header("content-type").starts_with("text/plain"));
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
async fn what_runs_when_the_service_stops_is_finished() {
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
    let ground = Ground::with(http, &IdentitySettings::demo(), |_| slow.into());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (kit, router) = (ground.kit.clone(), ground.router.clone());
    let served = tokio::spawn(async move { kit.serve_at(listener, router).await });
    let asked = tokio::spawn(reqwest::get(format!("{url}/slow")));
    wait_started.await.unwrap();
    ground.kit.stop().stop();
    go_on.send(()).unwrap();
    assert_eq!(asked.await.unwrap().unwrap().text().await.unwrap(), "finished");
    served.await.unwrap().unwrap();
    assert!(reqwest::get(format!("{url}/healthz")).await.is_err());
}

#[tokio::test]
async fn what_hangs_when_the_service_stops_is_left() {
    let hanging =
        axum::Router::new().route("/hang", axum::routing::get(std::future::pending::<()>));
    let http = HttpSettings { grace_seconds: 0, ..HttpSettings::default() };
    let ground = Ground::with(http, &IdentitySettings::demo(), |_| hanging.into());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (kit, router) = (ground.kit.clone(), ground.router.clone());
    let served = tokio::spawn(async move { kit.serve_at(listener, router).await });
    let asked = tokio::spawn(reqwest::get(format!("{url}/hang")));
    tokio::time::sleep(Duration::from_millis(50)).await;
    ground.kit.stop().stop();
    served.await.unwrap().unwrap();
    asked.abort();
}

#[tokio::test]
async fn an_address_that_is_taken_is_told_with_its_setting() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let http = HttpSettings { listen: listen.clone(), ..HttpSettings::default() };
    let ground = Ground::with(http, &IdentitySettings::demo(), |_| OpenApiRouter::new());
    let error = ground.kit.serve(ground.router.clone()).await.unwrap_err().to_string();
    assert!(error.contains(&listen) && error.contains("Http:Listen"), "{error}");
}
