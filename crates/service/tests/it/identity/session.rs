//! Browser sessions, and cross-site requests that use them.

use axum::http::Method;
use service::http::{HttpSettings, OpenApiRouter, routes};
use service::identity::{Caller, IdentitySettings, session_routes};

use crate::fixture::{Answer, Fixture};

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
    let answer = fixture.ask(Method::POST, "/session/sign-out", &headers, "").await;
    assert_eq!(answer.status, 204);
    assert!(cookies(&answer).iter().all(|line| line.contains("Max-Age=0")), "{answer:?}");
    let without = fixture.ask(Method::POST, "/session/sign-out", &headers[..1], "").await;
    assert_eq!(without.problem(), (403, "csrf_token_missing".to_owned()));
}
