//! Sign-in of people at an issuer: the flow, and every response that must not start a session.

use axum::http::Method;
use serde_json::{Value, json};
use service::http::{HttpSettings, OpenApiRouter, routes};
use service::identity::{Caller, IdentitySettings, session_routes};
use service::settings::{Secret, SettingsBuilder};

use super::issuer::{CLIENT, Misbehaviour, SECRET, TestIssuer};
use crate::fixture::{Answer, Fixture};

const HOST: (&str, &str) = ("host", "app.example");
const ENCODED_CALLBACK: &str = "https%3A%2F%2Fapp.example%2Fsession%2Fcallback";

#[utoipa::path(get, path = "/me", responses((status = 200)))]
async fn me(caller: Caller) -> String {
    format!("{} {:?} {:?}", caller.subject(), caller.name(), caller.roles())
}

fn settings(issuer: &TestIssuer) -> IdentitySettings {
    IdentitySettings {
        issuer: issuer.url.clone(),
        audience: "api".to_owned(),
        client_id: CLIENT.to_owned(),
        redirect_uris: vec!["https://app.example/session/callback".to_owned()],
        ..IdentitySettings::default()
    }
}

fn fixture(settings: &IdentitySettings) -> Fixture {
    Fixture::with(HttpSettings::default(), settings, |server| {
        OpenApiRouter::new().routes(routes!(me)).merge(session_routes(server.identity()))
    })
}

/// A browser: it keeps cookies as the service sets and deletes them.
#[derive(Default)]
struct Browser {
    cookies: Vec<(String, String)>,
}

impl Browser {
    async fn visit(&mut self, fixture: &Fixture, url: &str) -> Answer {
        let path = url.strip_prefix("https://app.example").unwrap_or(url);
        let cookie = self.cookie_line();
        let answer = fixture.get(path, &[HOST, ("cookie", &cookie)]).await;
        self.keep(&answer);
        answer
    }

    fn cookie_line(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn keep(&mut self, answer: &Answer) {
        for line in answer.headers.get_all("set-cookie") {
            let line = line.to_str().unwrap();
            let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            if !line.contains("Max-Age=0;") {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.cookies.iter().any(|(known, _)| known == name)
    }
}

/// Signs in; returns the answer of the callback and the address that led to it.
async fn sign_in(
    fixture: &Fixture,
    issuer: &TestIssuer,
    browser: &mut Browser,
) -> (Answer, String) {
    let start = browser.visit(fixture, "/session/oidc?return=%2F%23%2Fsettings").await;
    assert_eq!(start.status, 303, "{start:?}");
    let callback = issuer.visit(start.header("location")).await;
    (browser.visit(fixture, &callback).await, callback)
}

async fn refused(misbehaviour: Misbehaviour) -> String {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    issuer.misbehave(misbehaviour);
    let mut browser = Browser::default();
    let (answer, _) = sign_in(&fixture, &issuer, &mut browser).await;
    assert_eq!(answer.status, 303);
    assert!(!browser.has("__Host-session") && !browser.has("__Host-sign-in"));
    assert_eq!(browser.visit(&fixture, "/me").await.status, 401);
    answer.header("location").to_owned()
}

#[tokio::test]
async fn a_person_signs_in_at_the_issuer_and_returns_to_the_page() {
    for is_confidential in [false, true] {
        let issuer = TestIssuer::start(is_confidential).await;
        let mut settings = settings(&issuer);
        if is_confidential {
            settings.client_secret = Secret::new(SECRET);
        }
        let fixture = fixture(&settings);
        let mut browser = Browser::default();
        let (answer, callback) = sign_in(&fixture, &issuer, &mut browser).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/#/settings"));
        assert!(browser.has("__Host-session") && browser.has("csrf"));
        assert!(!browser.has("__Host-sign-in"), "the attempt is over");
        let me = browser.visit(&fixture, "/me").await.text;
        assert_eq!(me, r#"248289761001 Some("Ann Example") ["viewer"]"#);
        let shown = browser.visit(&fixture, "/session").await.json();
        assert_eq!((&shown["name"], &shown["roles"][0]), (&json!("Ann Example"), &json!("viewer")));
        // The address of the callback is in the history of the browser, and worth nothing there.
        let again = browser.visit(&fixture, &callback).await;
        assert_eq!(again.header("location"), "/?signInError=expired");
        assert_eq!(issuer.description_reads(), 2, "one for the flow, one for the keys");
    }
}

#[tokio::test]
async fn the_request_to_the_issuer_has_state_nonce_and_challenge_of_its_own() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut browser = Browser::default();
        let answer = browser.visit(&fixture, "/session/oidc").await;
        let location = answer.header("location").to_owned();
        assert!(location.contains(&format!("redirect_uri={ENCODED_CALLBACK}")), "{location}");
        let cookie = answer.header("set-cookie");
        assert!(cookie.contains("; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
        for name in ["state=", "nonce=", "code_challenge="] {
            let (_, value) = location.split_once(name).unwrap();
            let value = value.split('&').next().unwrap().to_owned();
            assert_eq!(value.len(), 43, "{name}");
            assert!(!cookie.contains(&value), "{name} must not be in the cookie");
            assert!(!seen.contains(&value), "{name} must be new each time");
            seen.push(value);
        }
    }
}

#[tokio::test]
async fn a_response_without_the_attempt_of_this_browser_signs_nobody_in() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    // An attacker's response, opened in the browser of somebody else: it would sign them in as the attacker.
    let mut attacker = Browser::default();
    let start = attacker.visit(&fixture, "/session/oidc").await;
    let callback = issuer.visit(start.header("location")).await;
    let mut victim = Browser::default();
    let answer = victim.visit(&fixture, &callback).await;
    assert_eq!(answer.header("location"), "/?signInError=expired");
    assert!(victim.cookies.is_empty());
    // Also if the victim is signing in, which is not disturbed.
    let own = victim.visit(&fixture, "/session/oidc").await;
    assert_eq!(victim.visit(&fixture, &callback).await.header("location"), "/?signInError=expired");
    assert!(!victim.has("__Host-session"));
    let own = issuer.visit(own.header("location")).await;
    assert_eq!(victim.visit(&fixture, &own).await.header("location"), "/");
    assert!(victim.has("__Host-session"));
    // Too late.
    let mut slow = Browser::default();
    let start = slow.visit(&fixture, "/session/oidc").await;
    let callback = issuer.visit(start.header("location")).await;
    fixture.travel_seconds(15 * 60);
    assert_eq!(slow.visit(&fixture, &callback).await.header("location"), "/?signInError=expired");
    // A forged cookie.
    let mut forger = Browser::default();
    forger.cookies.push(("__Host-sign-in".to_owned(), "e30.AAAA".to_owned()));
    assert_eq!(forger.visit(&fixture, &own).await.header("location"), "/?signInError=expired");
}

#[tokio::test]
async fn an_id_token_that_fails_a_check_signs_nobody_in() {
    let failed = "/?signInError=failed";
    for claims in [
        json!({ "nonce": "of another sign-in" }),
        json!({ "nonce": Value::Null }),
        json!({ "aud": "another client" }),
        json!({ "aud": [CLIENT, "another client"] }),
        json!({ "aud": [CLIENT, "another client"], "azp": "another client" }),
        json!({ "azp": "another client" }),
        json!({ "iss": "https://issuer.example" }),
        json!({ "exp": super::issuer::NOW - 61 }),
        json!({ "exp": Value::Null }),
        json!({ "sub": "" }),
        json!({ "sub": Value::Null }),
    ] {
        let location = refused(Misbehaviour { claims: claims.clone(), ..Misbehaviour::default() });
        assert_eq!(location.await, failed, "{claims}");
    }
    let forged = Misbehaviour { signs_with_other_key: true, ..Misbehaviour::default() };
    assert_eq!(refused(forged).await, failed);
}

#[tokio::test]
async fn an_id_token_for_several_clients_is_accepted_if_it_names_this_one() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    let claims = json!({ "aud": ["another", CLIENT], "azp": CLIENT });
    issuer.misbehave(Misbehaviour { claims, ..Misbehaviour::default() });
    let (answer, _) = sign_in(&fixture, &issuer, &mut Browser::default()).await;
    assert_eq!(answer.header("location"), "/#/settings");
}

#[tokio::test]
async fn what_the_issuer_refuses_is_said_by_a_code_only() {
    let denied = Misbehaviour { denies: true, ..Misbehaviour::default() };
    assert_eq!(refused(denied).await, "/?signInError=denied");
    for answer in [
        (400, r#"{"error":"invalid_grant"}"#),
        (200, r#"{"access_token":"x"}"#),
        (200, r#"{"id_token":"no token"}"#),
        (500, "<html>"),
        (302, ""),
    ] {
        let misbehaviour = Misbehaviour { token_answer: Some(answer), ..Misbehaviour::default() };
        assert_eq!(refused(misbehaviour).await, "/?signInError=failed", "{answer:?}");
    }
}

#[tokio::test]
async fn a_response_of_another_issuer_is_refused_before_its_code_is_sent() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    for replaced in ["&iss=https%3A%2F%2Fevil.example", ""] {
        let mut browser = Browser::default();
        let start = browser.visit(&fixture, "/session/oidc").await;
        let callback = issuer.visit(start.header("location")).await;
        let (before, after) = callback.split_once("&iss=").unwrap();
        let after = after.split_once('&').unwrap().1;
        let answer = browser.visit(&fixture, &format!("{before}{replaced}&{after}")).await;
        assert_eq!(answer.header("location"), "/?signInError=failed");
        assert!(!browser.has("__Host-session"));
    }
}

#[tokio::test]
async fn the_description_must_be_of_the_issuer_and_is_not_asked_for_without_limit() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    let description = json!({ "issuer": "https://evil.example" });
    issuer.misbehave(Misbehaviour { description, ..Misbehaviour::default() });
    for _ in 0..5 {
        let answer = Browser::default().visit(&fixture, "/session/oidc").await;
        assert_eq!(answer.header("location"), "/?signInError=unavailable");
    }
    assert_eq!(issuer.description_reads(), 1);
    issuer.misbehave(Misbehaviour::default());
    fixture.travel_seconds(6);
    let (answer, _) = sign_in(&fixture, &issuer, &mut Browser::default()).await;
    assert_eq!(answer.header("location"), "/#/settings");
}

#[tokio::test]
async fn the_page_and_the_host_must_be_of_this_service() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    for page in ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example"] {
        let answer = fixture.get(&format!("/session/oidc?return={page}"), &[HOST]).await;
        assert_eq!(answer.problem(), (400, "return_not_allowed".to_owned()), "{page}");
    }
    for host in ["evil.example", "app.example.evil.example", "app.example:444"] {
        let answer = fixture.get("/session/oidc", &[("host", host)]).await;
        assert_eq!(answer.problem(), (400, "redirect_not_allowed".to_owned()), "{host}");
    }
}

#[tokio::test]
async fn signing_out_ends_the_session_and_names_the_sign_out_of_the_issuer() {
    let issuer = TestIssuer::start(false).await;
    let fixture = fixture(&settings(&issuer));
    let mut browser = Browser::default();
    sign_in(&fixture, &issuer, &mut browser).await;
    let (_, csrf) = browser.cookies.iter().find(|(name, _)| name == "csrf").unwrap().clone();
    let cookie = browser.cookie_line();
    let headers = [HOST, ("cookie", cookie.as_str()), ("x-csrf-token", csrf.as_str())];
    let answer = fixture.ask(Method::POST, "/session/sign-out", &headers, "").await;
    let expected = format!(
        "{}/logout?client_id=client+of+the+app&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2F",
        issuer.url
    );
    assert_eq!(answer.json(), json!({ "endSessionUrl": expected }));
    assert_eq!(fixture.get("/me", &headers).await.status, 401, "copies of the cookie are refused");
}

#[tokio::test]
async fn sign_in_at_an_issuer_exists_only_where_it_is_set_up() {
    let issuer = TestIssuer::start(false).await;
    let with = fixture(&settings(&issuer)).get("/session/methods", &[]).await;
    assert_eq!(with.json(), json!({ "issuer": issuer.url }));
    let without = fixture(&IdentitySettings::demo());
    let methods = without.get("/session/methods", &[]).await;
    assert_eq!(methods.json(), json!({ "issuer": null }));
    for path in ["/session/oidc", "/session/callback?code=1&state=2"] {
        let answer = without.get(path, &[HOST]).await;
        assert_eq!(answer.problem(), (404, "sign_in_unavailable".to_owned()));
    }
}

#[test]
fn wrong_settings_of_the_sign_in_are_named() {
    let load = |more: &[&str]| {
        let right = ["Issuer=https://issuer.example", "Audience=api", "ClientId=app"];
        let all = right.iter().chain(more);
        let assignments: Vec<String> = all.map(|one| format!("Identity:{one}")).collect();
        let loaded = SettingsBuilder::new().flags(&assignments).load::<IdentityOnly>();
        loaded
            .map(drop)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<String>())
    };
    let address = "RedirectUris:0=https://app.example/session/callback";
    assert_eq!(load(&[address]), Ok(()));
    for (wrong, named) in [
        (vec![], "RedirectUris"),
        (vec!["RedirectUris:0=https://app.example/other"], "RedirectUris"),
        (vec![address, "Issuer=http://issuer.example"], "Issuer"),
        (vec![address, "Scopes:0=profile"], "Scopes"),
        (vec![address, "Mode=demo"], "Mode"),
    ] {
        let text = load(&wrong).unwrap_err();
        assert!(text.contains(&format!("Identity:{named}")), "{named}: {text}");
    }
}

/// The settings of a service, of which only identity matters here.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct IdentityOnly {
    identity: IdentitySettings,
}

impl service::settings::SettingsSection for IdentityOnly {
    fn validate(&self, validator: &mut service::settings::SettingsValidator) {
        validator.section("Identity", &self.identity);
    }
}
