//! The Vault client against a server of the test that answers as Vault does: logins, versions, deleted and destroyed
//! ones, check-and-set, sealed and standby nodes, garbage, half of an answer, another version's shape.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::Environment;
use secret_migration::{
    ExpectedVersion, PlatformFailure, SecretData, SecretLocation, SecretSource, SecretTarget,
    SecretValue, VaultAuth, VaultClient, VaultSettings,
};
use service::settings::Secret;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Answers in order, and keeps what was asked.
#[derive(Clone, Default)]
struct Script(Arc<Mutex<(VecDeque<String>, Vec<String>)>>);

impl Script {
    fn answer(&self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        let text =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
        self.raw(text);
    }

    fn raw(&self, text: String) {
        self.0.lock().unwrap().0.push_back(text);
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().1)
    }

    async fn open(&self, settings: VaultSettings) -> VaultClient {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let script = self.clone();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                loop {
                    let read = socket.read(&mut buffer).await.unwrap_or(0);
                    request.extend_from_slice(&buffer[..read]);
                    let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
                    let Some(head) = text.find("\r\n\r\n") else {
                        if read == 0 {
                            break;
                        }
                        continue;
                    };
                    let length = text.split("content-length: ").nth(1);
                    let length: usize = length
                        .and_then(|rest| rest.split("\r\n").next()?.parse().ok())
                        .unwrap_or(0);
                    if read == 0 || request.len() >= head + 4 + length {
                        break;
                    }
                }
                let answer = {
                    let mut state = script.0.lock().unwrap();
                    state.1.push(String::from_utf8_lossy(&request).into_owned());
                    state.0.pop_front().unwrap_or_default()
                };
                // One request per connection: half of an answer ends with the connection.
                let answer = answer.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let settings = VaultSettings { address, ..settings };
        VaultClient::open(settings, Environment::system()).unwrap()
    }
}

fn with_token() -> VaultSettings {
    VaultSettings { token: Secret::new("root"), ..VaultSettings::default() }
}

fn location() -> SecretLocation {
    SecretLocation { mount: "secret".to_owned(), path: "app/db".to_owned() }
}

const METADATA: &str =
    r#"{"version":3,"created_time":"2025-01-01T00:00:00Z","deletion_time":"","destroyed":false}"#;

#[tokio::test]
async fn versions_one_and_two_are_read_with_token_and_namespace() {
    let script = Script::default();
    let settings = VaultSettings { namespace: "team".to_owned(), ..with_token() };
    let vault = script.open(settings.clone()).await;
    script.answer(200, "", &format!(r#"{{"data":{{"data":{{"k":"v"}},"metadata":{METADATA}}}}}"#));
    let read = SecretSource::read(&vault, &location(), Some(3)).await.unwrap();
    assert_eq!((read.version, read.data.keys()), (3, vec!["k".to_owned()]));
    let asked = script.asked().remove(0).to_ascii_lowercase();
    assert!(asked.starts_with("get /v1/secret/data/app/db?version=3 "), "{asked}");
    assert!(asked.contains("x-vault-token: root") && asked.contains("x-vault-namespace: team"));
    let one = script.open(VaultSettings { engine_version: 1, ..settings }).await;
    script.answer(200, "", r#"{"data":{"k":"v"}}"#);
    let read = SecretSource::read(&one, &location(), None).await.unwrap();
    assert_eq!((read.version, read.data.keys().len()), (0, 1));
    assert!(script.asked()[0].starts_with("GET /v1/secret/app/db "));
}

/// A status, headers, a body, and the failure that they mean.
type Refusal = (u16, &'static str, String, PlatformFailure);

fn refusals() -> Vec<Refusal> {
    let gone = |destroyed: bool| {
        let version = r#""version":2,"deletion_time":"2025-01-01T00:00:00Z""#;
        let metadata = format!("{{{version},\"destroyed\":{destroyed}}}");
        format!("{{\"data\":{{\"data\":null,\"metadata\":{metadata}}}}}")
    };
    let deleted = |destroyed| PlatformFailure::Deleted { version: 2, destroyed };
    let busy = PlatformFailure::Busy { retry_after: Some(Duration::from_secs(7)) };
    let garbage = || PlatformFailure::Garbage { why: String::new() };
    let failing = PlatformFailure::Unreachable { why: String::new() };
    let text = str::to_owned;
    let version_2 = |data: &str| format!(r#"{{"data":{{"data":{data},"metadata":{METADATA}}}}}"#);
    let other_shape = r#"{"data":{"data":{"k":"hush"},"metadata":{"version":"three"}}}"#;
    vec![
        (404, "", text(r#"{"errors":[]}"#), PlatformFailure::Missing),
        (404, "", gone(false), deleted(false)),
        (404, "", gone(true), deleted(true)),
        (403, "", text(r#"{"errors":["permission denied"]}"#), PlatformFailure::Denied),
        (429, "retry-after: 7\r\n", text("{}"), busy),
        (503, "", text(r#"{"errors":["Vault is sealed"]}"#), PlatformFailure::Sealed),
        (473, "", text("{}"), PlatformFailure::Standby),
        (500, "", text("{}"), failing),
        (418, "", text("hush"), PlatformFailure::Refused { status: 418 }),
        (200, "", text("hush is no JSON"), garbage()),
        (200, "", text(r#"{"data":{"password":"hush"}}"#), garbage()),
        (200, "", version_2(r#"["hush"]"#), garbage()),
        (200, "", version_2("null"), garbage()),
        (200, "", text(other_shape), garbage()),
    ]
}

/// Whether two failures are the same, without the explanations that some have.
fn is_same(one: &PlatformFailure, other: &PlatformFailure) -> bool {
    match one {
        PlatformFailure::Garbage { .. } | PlatformFailure::Unreachable { .. } => {
            std::mem::discriminant(one) == std::mem::discriminant(other)
        }
        _ => one == other,
    }
}

#[tokio::test]
async fn every_refusal_has_its_own_failure_and_no_value() {
    let script = Script::default();
    let vault = script.open(with_token()).await;
    for (status, headers, body, expected) in refusals() {
        script.answer(status, headers, &body);
        let error = SecretSource::read(&vault, &location(), None).await.unwrap_err();
        assert!(is_same(&error.failure, &expected), "{status} {body}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hush"), "{error}");
    }
    // Half of an answer.
    script.raw(
        "HTTP/1.1 200 X\r\ncontent-length: 500\r\n\r\n{\"data\":{\"data\":{\"k\":\"hush".to_owned(),
    );
    let error = SecretSource::read(&vault, &location(), None).await.unwrap_err();
    assert!(matches!(error.failure, PlatformFailure::Unreachable { .. }), "{error:?}");
    assert!(!format!("{error:?}").contains("hush"), "{error:?}");
}

#[tokio::test]
async fn a_write_is_a_check_and_set() {
    let script = Script::default();
    let vault = script.open(with_token()).await;
    let data = SecretData::new().with("k", SecretValue::from_text("v"));
    script.answer(200, "", r#"{"data":{"version":4}}"#);
    let expected = ExpectedVersion::Version(3.into());
    assert_eq!(SecretTarget::write(&vault, "a b", &data, &expected).await.unwrap(), 4.into());
    let asked = script.asked().remove(0);
    assert!(asked.starts_with("POST /v1/secret/data/a%20b "), "{asked}");
    assert!(asked.ends_with(r#"{"options":{"cas":3},"data":{"k":"v"}}"#), "{asked}");
    let refusal = r#"{"errors":["check-and-set parameter did not match the current version"]}"#;
    script.answer(400, "", refusal);
    let refused = SecretTarget::write(&vault, "a", &data, &ExpectedVersion::Absent).await;
    assert_eq!(refused.unwrap_err().failure, PlatformFailure::VersionConflict);
    script.answer(404, "", r#"{"errors":[]}"#);
    assert!(SecretTarget::read(&vault, "a").await.unwrap().is_none());
    let live =
        r#"{"data":{"current_version":2,"versions":{"2":{"deletion_time":"","destroyed":false}}}}"#;
    script.answer(200, "", live);
    assert_eq!(vault.live_version(&location()).await.unwrap(), 2);
    script.answer(200, "", &live.replace(r#""destroyed":false"#, r#""destroyed":true"#));
    let gone = vault.live_version(&location()).await.unwrap_err();
    assert_eq!(gone.failure, PlatformFailure::Deleted { version: 2, destroyed: true });
}

#[tokio::test]
async fn a_login_is_made_once_renewed_and_repeated_when_it_is_revoked() {
    let script = Script::default();
    let settings = VaultSettings {
        auth: VaultAuth::AppRole,
        role: "r".to_owned(),
        secret_id: Secret::new("s"),
        ..VaultSettings::default()
    };
    let vault = script.open(settings).await;
    let login = |token: &str| {
        format!(r#"{{"auth":{{"client_token":"{token}","lease_duration":3600,"renewable":true}}}}"#)
    };
    let secret = format!(r#"{{"data":{{"data":{{"k":"v"}},"metadata":{METADATA}}}}}"#);
    script.answer(200, "", &login("t1"));
    script.answer(200, "", &secret);
    script.answer(200, "", &secret);
    for _ in 0..2 {
        SecretSource::read(&vault, &location(), None).await.unwrap();
    }
    let asked = script.asked();
    assert!(asked[0].starts_with("POST /v1/auth/approle/login "), "{}", asked[0]);
    assert!(asked[0].contains(r#""role_id":"r""#) && asked.len() == 3);
    // The token was revoked: one new login, one repeat.
    script.answer(403, "", r#"{"errors":["permission denied"]}"#);
    script.answer(200, "", &login("t2"));
    script.answer(200, "", &secret);
    SecretSource::read(&vault, &location(), None).await.unwrap();
    assert!(script.asked()[2].to_ascii_lowercase().contains("x-vault-token: t2"));
    // Still refused: no endless repeat.
    script.answer(403, "", "{}");
    script.answer(200, "", &login("t3"));
    script.answer(403, "", "{}");
    let refused = SecretSource::read(&vault, &location(), None).await.unwrap_err();
    assert_eq!(refused.failure, PlatformFailure::Denied);
    for (auth, path) in [(VaultAuth::Kubernetes, "kubernetes"), (VaultAuth::Jwt, "jwt")] {
        let settings = VaultSettings { auth, jwt: Secret::new("j"), ..VaultSettings::default() };
        let vault = script.open(settings).await;
        script.asked();
        script.answer(400, "", "{}");
        SecretSource::read(&vault, &location(), None).await.unwrap_err();
        assert!(script.asked()[0].starts_with(&format!("POST /v1/auth/{path}/login ")));
    }
}
