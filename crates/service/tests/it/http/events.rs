//! Events: order, resumption, slow listeners, shutdown.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use client::{Environment, TravellingClock};
use futures::StreamExt;
use model::TimestampMs;
use service::http::{
    EventListener, EventRing, EventStreamRequest, OpenApiRouter, ShutdownSignal, routes,
};
use tower::ServiceExt;

use crate::fixture::Fixture;

fn events(kept_max: usize, seed: u64) -> EventRing {
    let clock = TravellingClock::starting_at(TimestampMs(1));
    EventRing::new(&Environment::simulated(clock, seed), kept_max)
}

/// What a listener gets until nothing is there.
async fn heard(listener: &mut EventListener) -> String {
    let mut names = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_secs(1), listener.next()).await
    {
        names.push(format!("{}{}", event.name, event.data));
    }
    names.join(" ")
}

#[tokio::test(start_paused = true)]
async fn a_listener_hears_its_topic_from_now_on() {
    let (events, shutdown) = (events(10, 1), ShutdownSignal::new());
    events.publish("ann", "new", &1);
    let mut ann = events.listen("ann", None, &shutdown);
    events.publish("bob", "new", &2);
    events.publish("ann", "new", &3);
    events.publish("ann", "changed", &4);
    assert_eq!(heard(&mut ann).await, "new3 changed4");
    events.publish("ann", "new", &5);
    assert_eq!(heard(&mut ann).await, "new5");
}

#[tokio::test(start_paused = true)]
async fn a_listener_goes_on_where_it_stopped() {
    let (events, shutdown) = (events(4, 1), ShutdownSignal::new());
    let mut ann = events.listen("ann", None, &shutdown);
    events.publish("ann", "new", &1);
    let id = ann.next().await.unwrap().id.to_string();
    drop(ann);
    events.publish("ann", "new", &2);
    events.publish("bob", "new", &3);
    events.publish("ann", "new", &4);
    assert_eq!(heard(&mut events.listen("ann", Some(&id), &shutdown)).await, "new2 new4");
    // One more, and the one after its id is still there; another, and it is not.
    events.publish("bob", "new", &5);
    assert_eq!(heard(&mut events.listen("ann", Some(&id), &shutdown)).await, "new2 new4");
    events.publish("bob", "new", &6);
    assert_eq!(heard(&mut events.listen("ann", Some(&id), &shutdown)).await, "reset{}");
}

#[tokio::test(start_paused = true)]
async fn a_reset_reaches_current_and_returning_listeners() {
    let (events, shutdown) = (events(10, 1), ShutdownSignal::new());
    let mut ann = events.listen("ann", None, &shutdown);
    events.publish("ann", "new", &1);
    let away = events.listen("bob", None, &shutdown).position().unwrap().to_string();
    assert_eq!(heard(&mut ann).await, "new1");
    events.reset();
    assert_eq!(heard(&mut events.listen("cid", None, &shutdown)).await, "", "it lost nothing");
    events.publish("bob", "new", &2);
    assert_eq!(heard(&mut ann).await, "reset{}");
    assert_eq!(heard(&mut events.listen("bob", Some(&away), &shutdown)).await, "reset{}");
    events.publish("ann", "new", &3);
    assert!(ann.next_now().is_some_and(|event| !event.is_reset()));
    assert_eq!(ann.next_now(), None);
}

#[tokio::test(start_paused = true)]
async fn ids_that_are_not_ours_begin_with_a_reset() {
    let (events, shutdown) = (events(4, 1), ShutdownSignal::new());
    events.publish("ann", "new", &1);
    let mut other = self::events(4, 2).listen("ann", None, &shutdown);
    let foreign = other.position().unwrap().to_string();
    let ours = events.listen("ann", None, &shutdown).position().unwrap().to_string();
    let future = format!("{}9", ours);
    for id in [&foreign, &future, "x", "-", "zz-1", "1-99999999999999999999"] {
        let mut listener = events.listen("ann", Some(id), &shutdown);
        assert_eq!(heard(&mut listener).await, "reset{}", "{id}");
        events.publish("ann", "new", &2);
        assert_eq!(heard(&mut listener).await, "new2");
    }
    assert_eq!(heard(&mut other).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_falls_off_the_ring_is_reset() {
    let (events, shutdown) = (events(3, 1), ShutdownSignal::new());
    let mut slow = events.listen("ann", None, &shutdown);
    for n in 0..100 {
        events.publish("ann", "new", &n);
    }
    assert_eq!(heard(&mut slow).await, "reset{}");
    events.publish("ann", "new", &100);
    assert_eq!(heard(&mut slow).await, "new100");
}

#[tokio::test]
async fn listeners_end_with_the_service() {
    let (events, shutdown) = (events(3, 1), ShutdownSignal::new());
    let mut listener = events.listen("ann", None, &shutdown);
    let waiting = tokio::spawn(async move { listener.next().await });
    tokio::task::yield_now().await;
    shutdown.trigger();
    assert_eq!(waiting.await.unwrap(), None);
}

#[utoipa::path(get, path = "/stream", responses((status = 200, content_type = "text/event-stream")))]
async fn stream(
    State((events, shutdown)): State<(EventRing, ShutdownSignal)>,
    stream: EventStreamRequest,
) -> Response {
    events.respond("ann", stream, &shutdown)
}

async fn next(body: &mut BodyDataStream) -> String {
    let chunk = body.next().await.unwrap().unwrap();
    String::from_utf8(chunk.to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn events_are_streamed_with_ids_and_heartbeats() {
    let events = events(3, 1);
    let fixture = Fixture::new(|server| {
        OpenApiRouter::new()
            .routes(routes!(stream))
            .with_state((events.clone(), server.shutdown().clone()))
    });
    let open = async |last: Option<&str>| {
        let request = Request::get("/stream");
        let request =
            last.into_iter().fold(request, |request, id| request.header("last-event-id", id));
        let response =
            fixture.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        response.into_body().into_data_stream()
    };
    let mut body = open(None).await;
    let first = next(&mut body).await;
    let id = first.strip_prefix("id: ").unwrap().trim().to_owned();
    // Time is paused: it goes on to the heartbeat, because nothing else will happen.
    assert_eq!(next(&mut body).await, ":\n\n");
    events.publish("ann", "new", &serde_json::json!({"text": "a\nb"}));
    let event = next(&mut body).await;
    assert!(event.ends_with("event: new\ndata: {\"text\":\"a\\nb\"}\n\n"), "{event}");
    drop(body);
    let mut again = open(Some(&id)).await;
    let report = next(&mut again).await + &next(&mut again).await;
    assert!(report.ends_with(&event), "{report}");
    fixture.server.shutdown().trigger();
    assert!(again.next().await.is_none());
}
