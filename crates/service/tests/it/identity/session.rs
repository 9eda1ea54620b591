//! Browser sessions, and cross-site requests that use them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use service::http::{
    EventRing, EventStreamRequest, HttpServer, HttpSettings, OpenApiRouter, routes,
};
use service::identity::{Caller, IdentitySettings, session_routes};
use service::settings::Secret;

use crate::fixture::{Answer, Fixture};
use crate::world::World;

#[utoipa::path(post, path = "/change", responses((status = 200)))]
async fn change(caller: Caller) -> String {
    caller.subject().to_owned()
}

fn fixture() -> Fixture {
    let allowed_origins = vec!["https://app.example".to_owned()];
    let settings = IdentitySettings { allowed_origins, ..IdentitySettings::demo() };
    Fixture::with(HttpSettings::default(), &settings, |server| {
        OpenApiRouter::new().routes(routes!(change)).merge(session_routes(server.identity()))
    })
}

/// Cookie and token of a signed-in browser.
struct Browser {
    cookie: String,
    token: String,
}

fn cookies(answer: &Answer) -> Vec<String> {
    answer
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|line| line.to_str().unwrap().to_owned())
        .collect()
}

async fn sign_in(fixture: &Fixture, subject: &str) -> Browser {
    let link = fixture.server.identity().sign_in_link(subject, &["viewer"]).unwrap();
    let answer = fixture.get(&link, &[]).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/"));
    let [session, token] = cookies(&answer).try_into().unwrap();
    assert!(session.contains("; HttpOnly; SameSite=Lax"), "{session}");
    assert!(!token.contains("HttpOnly") && token.contains("SameSite=Strict"), "{token}");
    let value = |line: &str| line.split(';').next().unwrap().to_owned();
    let token = value(&token).strip_prefix("csrf=").unwrap().to_owned();
    Browser { cookie: value(&session), token }
}

#[tokio::test]
async fn a_link_signs_in_once_and_only_for_a_while() {
    let fixture = fixture();
    let link = fixture.server.identity().sign_in_link("ann", &[]).unwrap();
    assert_eq!(fixture.get(&link, &[]).await.status, 303);
    assert_eq!(fixture.get(&link, &[]).await.problem(), (401, "invalid_link".to_owned()));
    let old = fixture.server.identity().sign_in_link("ann", &[]).unwrap();
    fixture.travel_seconds(15 * 60);
    assert_eq!(fixture.get(&old, &[]).await.problem().1, "invalid_link");
    let forged = old.replace(".", "x.");
    for link in [&forged, "/session/sign-in", "/session/sign-in?link=", "/session/sign-in?link=a.b"]
    {
        assert_eq!(fixture.get(link, &[]).await.problem().1, "invalid_link", "{link}");
    }
}

#[tokio::test]
async fn links_exist_in_demo_mode_only() {
    let settings = IdentitySettings { jwks: "keys.json".to_owned(), ..IdentitySettings::default() };
    let fixture = Fixture::with(HttpSettings::default(), &settings, |server| {
        session_routes(server.identity())
    });
    assert_eq!(fixture.server.identity().sign_in_link("ann", &[]), None);
    assert_eq!(fixture.get("/session/sign-in?link=a.b", &[]).await.status, 401);
    let cookies = fixture.server.identity().start_session("ann", &[]);
    let session = cookies[0].to_str().unwrap();
    assert!(session.starts_with("__Host-session=") && session.ends_with("; Secure"), "{session}");
}

#[tokio::test]
async fn a_session_says_who_it_is_until_it_ends() {
    let fixture = fixture();
    let ann = sign_in(&fixture, "ann").await;
    let answer = fixture.get("/session", &[("cookie", &ann.cookie)]).await;
    let json = answer.json();
    assert_eq!((&json["subject"], &json["roles"][0]), (&"ann".into(), &"viewer".into()));
    assert_eq!(json["csrfToken"], ann.token.as_str());
    assert!(cookies(&answer).is_empty());
    // Used after half of its life it is renewed; the old cookie ends at its time.
    fixture.travel_seconds(7 * 3600);
    let renewed = fixture.get("/session", &[("cookie", &ann.cookie)]).await;
    assert_eq!(cookies(&renewed).len(), 2);
    let later = cookies(&renewed)[0].split(';').next().unwrap().to_owned();
    fixture.travel_seconds(5 * 3600);
    assert_eq!(fixture.get("/session", &[("cookie", &ann.cookie)]).await.status, 401);
    assert_eq!(fixture.get("/session", &[("cookie", &later)]).await.status, 200);
}

#[tokio::test]
async fn a_foreign_cookie_is_ignored() {
    let fixture = fixture();
    let ann = sign_in(&fixture, "ann").await;
    let other = sign_in(&self::fixture(), "ann").await;
    let (body, signature) = ann.cookie.split_once('.').unwrap();
    let twice = format!("{}; {}", ann.cookie, ann.cookie);
    let mut changed = body.to_owned();
    changed.replace_range(20..21, if &body[20..21] == "A" { "B" } else { "A" });
    let changed = format!("{changed}.{signature}");
    for cookie in [&other.cookie, &changed, body, "session=", "session=.", "session=a.b", &twice] {
        let answer = fixture.get("/session", &[("cookie", cookie)]).await;
        assert_eq!(answer.problem(), (401, "unauthenticated".to_owned()), "{cookie}");
    }
}

#[tokio::test]
async fn changes_need_the_token_and_our_origin() {
    let fixture = fixture();
    let (ann, bob) = (sign_in(&fixture, "ann").await, sign_in(&fixture, "bob").await);
    let change = async |headers: &[(&str, &str)]| {
        let mut all = vec![("cookie", ann.cookie.as_str()), ("host", "here.example")];
        all.extend(headers);
        let answer = fixture.ask(Method::POST, "/change", &all, "").await;
        if answer.status == 200 { "done".to_owned() } else { answer.problem().1 }
    };
    let token = ("x-csrf-token", ann.token.as_str());
    assert_eq!(change(&[token]).await, "done");
    assert_eq!(change(&[token, ("origin", "https://here.example")]).await, "done");
    assert_eq!(change(&[token, ("origin", "https://app.example")]).await, "done");
    assert_eq!(change(&[token, ("sec-fetch-site", "same-origin")]).await, "done");
    assert_eq!(change(&[]).await, "csrf_token_missing");
    assert_eq!(change(&[("x-csrf-token", "")]).await, "csrf_token_missing");
    assert_eq!(change(&[("x-csrf-token", &bob.token)]).await, "csrf_token_missing");
    for origin in ["https://evil.example", "null", "https://here.example.evil", "here.example", ""]
    {
        assert_eq!(change(&[token, ("origin", origin)]).await, "foreign_origin", "{origin}");
    }
    for site in ["cross-site", "same-site", "x"] {
        assert_eq!(change(&[token, ("sec-fetch-site", site)]).await, "foreign_origin", "{site}");
    }
    // A bearer token is no cookie: a browser does not send it by itself.
    let bearer = fixture.token("eve", &[]);
    assert_eq!(
        change(&[("authorization", &bearer), ("origin", "https://evil.example")]).await,
        "done"
    );
}

#[tokio::test]
async fn a_token_begins_a_session_on_our_pages_only() {
    let fixture = fixture();
    let token = fixture.token("ann", &["viewer"]);
    let begin = async |headers: &[(&str, &str)]| {
        let all = [headers, &[("host", "here.example")]].concat();
        fixture.ask(Method::POST, "/session", &all, "").await
    };
    let authorization = ("authorization", token.as_str());
    let answer = begin(&[authorization, ("origin", "https://here.example")]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["subject"]), (200, &"ann".into()));
    assert_eq!(answer.json()["roles"][0], "viewer");
    let [session, _] = cookies(&answer).try_into().unwrap();
    assert!(session.contains("; HttpOnly; SameSite=Lax"), "{session}");
    let cookie = session.split(';').next().unwrap();
    let csrf = answer.json()["csrfToken"].as_str().unwrap().to_owned();
    // The cookie and the token against other sites do what the bearer token did.
    let headers = [("cookie", cookie), ("x-csrf-token", csrf.as_str())];
    assert_eq!(fixture.ask(Method::POST, "/change", &headers, "").await.text, "ann");
    assert_eq!(begin(&headers).await.problem(), (401, "token_needed".to_owned()));
    assert_eq!(begin(&[]).await.problem(), (401, "unauthenticated".to_owned()));
    for wrong in ["Bearer made.up.token", "Bearer ", "Basic YTpi"] {
        let refused = begin(&[("authorization", wrong)]).await;
        assert_eq!((refused.status.as_u16(), cookies(&refused).len()), (401, 0), "{wrong}");
        assert!(refused.header("www-authenticate").starts_with("Bearer"), "{refused:?}");
    }
    let foreign = begin(&[authorization, ("origin", "https://evil.example")]).await;
    assert_eq!(foreign.problem(), (403, "foreign_origin".to_owned()));
    assert!(cookies(&foreign).is_empty());
    let ended = fixture.token("ann", &[]);
    fixture.travel_seconds(24 * 3600);
    assert_eq!(begin(&[("authorization", &ended)]).await.problem().1, "invalid_token");
}

#[tokio::test]
async fn signing_out_takes_the_cookies_away() {
    let fixture = fixture();
    let ann = sign_in(&fixture, "ann").await;
    let headers = [("cookie", ann.cookie.as_str()), ("x-csrf-token", ann.token.as_str())];
    let without = fixture.ask(Method::POST, "/session/sign-out", &headers[..1], "").await;
    assert_eq!(without.problem(), (403, "csrf_token_missing".to_owned()));
    let answer = fixture.ask(Method::POST, "/session/sign-out", &headers, "").await;
    assert_eq!(answer.status, 204);
    assert!(cookies(&answer).iter().all(|line| line.contains("Max-Age=0")), "{answer:?}");
}

#[tokio::test]
async fn signing_out_ends_the_session_for_every_copy_of_its_cookie() {
    let fixture = fixture();
    let (ann, bob) = (sign_in(&fixture, "ann").await, sign_in(&fixture, "bob").await);
    // A copy that was renewed has another text and a later end.
    fixture.travel_seconds(7 * 3600);
    let renewed = fixture.get("/session", &[("cookie", &ann.cookie)]).await;
    let copy = cookies(&renewed)[0].split(';').next().unwrap().to_owned();
    let headers = [("cookie", ann.cookie.as_str()), ("x-csrf-token", ann.token.as_str())];
    assert_eq!(fixture.ask(Method::POST, "/session/sign-out", &headers, "").await.status, 204);
    for cookie in [&ann.cookie, &copy] {
        let refused = fixture.get("/session", &[("cookie", cookie)]).await;
        assert_eq!(refused.problem(), (401, "unauthenticated".to_owned()));
        assert!(cookies(&refused).is_empty(), "an ended session is not renewed");
    }
    fixture.travel_seconds(6 * 3600);
    assert_eq!(fixture.get("/session", &[("cookie", &copy)]).await.status, 401);
    let other = fixture.get("/session", &[("cookie", &bob.cookie)]).await;
    assert_eq!(other.status, 401, "it has expired by itself");
    let bob = sign_in(&fixture, "bob").await;
    assert_eq!(fixture.get("/session", &[("cookie", &bob.cookie)]).await.status, 200);
}

#[tokio::test]
async fn a_session_in_use_ends_after_its_longest_life() {
    let settings = IdentitySettings {
        session_minutes: 60,
        session_max_minutes: 150,
        ..IdentitySettings::demo()
    };
    let fixture = Fixture::with(HttpSettings::default(), &settings, |server| {
        session_routes(server.identity())
    });
    let mut cookie = sign_in(&fixture, "ann").await.cookie;
    for minute in (0..150).step_by(10) {
        let used = fixture.get("/session", &[("cookie", &cookie)]).await;
        assert_eq!(used.status, 200, "minute {minute}");
        if let [session, _] = cookies(&used).as_slice() {
            cookie = session.split(';').next().unwrap().to_owned();
        }
        fixture.travel_seconds(600);
    }
    assert_eq!(fixture.get("/session", &[("cookie", &cookie)]).await.status, 401);
}

#[tokio::test]
async fn a_session_stays_ended_in_other_instances_and_after_a_restart() {
    let container = World::new(7).await.container("sessions", "/id").await;
    let secret = Secret::new("a secret that all instances of one service share");
    let settings = IdentitySettings { secret, ..IdentitySettings::demo() };
    let instance = || {
        let fixture = Fixture::with(HttpSettings::default(), &settings, |server| {
            session_routes(server.identity())
        });
        fixture.server.identity().store_ended_sessions(container.clone());
        fixture
    };
    let (first, second) = (instance(), instance());
    let ann = sign_in(&first, "ann").await;
    assert_eq!(second.get("/session", &[("cookie", &ann.cookie)]).await.status, 200);
    let headers = [("cookie", ann.cookie.as_str()), ("x-csrf-token", ann.token.as_str())];
    assert_eq!(first.ask(Method::POST, "/session/sign-out", &headers, "").await.status, 204);
    assert_eq!(instance().get("/session", &[("cookie", &ann.cookie)]).await.status, 401);
    // The second instance trusts what it has read for some seconds.
    second.travel_seconds(11);
    assert_eq!(second.get("/session", &[("cookie", &ann.cookie)]).await.status, 401);
}

#[derive(Clone)]
struct Streams {
    ring: EventRing,
    server: HttpServer,
}

#[utoipa::path(get, path = "/events", responses((status = 200)))]
async fn events(
    State(streams): State<Streams>,
    _caller: Caller,
    request: EventStreamRequest,
) -> Response {
    streams.ring.respond("topic", request, streams.server.shutdown())
}

fn streaming() -> Fixture {
    Fixture::new(|server| {
        let ring = EventRing::new(server.environment(), 10);
        let state = Streams { ring, server: server.clone() };
        let routes = OpenApiRouter::new().routes(routes!(events)).with_state(state);
        routes.merge(session_routes(server.identity()))
    })
}

/// Long enough that only a hanging test reaches it.
const WATCHDOG: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn an_open_stream_ends_when_its_session_is_ended() {
    let fixture = Arc::new(streaming());
    let ann = sign_in(&fixture, "ann").await;
    let (listening, cookie) = (Arc::clone(&fixture), ann.cookie.clone());
    let stream = tokio::spawn(async move {
        listening.get("/events", &[("cookie", &cookie)]).await.status.as_u16()
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!stream.is_finished(), "the session is valid");
    let headers = [("cookie", ann.cookie.as_str()), ("x-csrf-token", ann.token.as_str())];
    assert_eq!(fixture.ask(Method::POST, "/session/sign-out", &headers, "").await.status, 204);
    assert_eq!(tokio::time::timeout(WATCHDOG, stream).await.expect("it ends").unwrap(), 200);
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_ends_when_its_session_or_token_expires() {
    let fixture = Arc::new(streaming());
    let ann = sign_in(&fixture, "ann").await;
    for (name, value, life_seconds) in [
        ("authorization", fixture.token("ann", &[]), 3600),
        ("cookie", ann.cookie.clone(), 12 * 3600),
    ] {
        let listening = Arc::clone(&fixture);
        let stream = tokio::spawn(async move {
            listening.get("/events", &[(name, &value)]).await.status.as_u16()
        });
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!stream.is_finished(), "{name} is valid");
        fixture.travel_seconds(life_seconds);
        assert_eq!(tokio::time::timeout(WATCHDOG, stream).await.expect("it ends").unwrap(), 200);
    }
}
