//! Logins to a Vault by all four methods: made once, renewed before they end, made again when they cannot be renewed or
//! were revoked.

use std::sync::Arc;
use std::time::Duration;

use client::{Environment, TimestampMs, TravellingClock};
use secret_migration::{PlatformFailure, SecretSource, VaultAuth, VaultClient, VaultSettings};
use serde_json::{Value, json};
use service::settings::Secret;

use super::script::Script;
use super::vault::{METADATA, location, open, with_token};

fn secret() -> String {
    format!(r#"{{"data":{{"data":{{"k":"v"}},"metadata":{METADATA}}}}}"#)
}

/// The answer to a login or a renewal: a token of an hour.
fn login(token: &str, is_renewable: bool) -> String {
    let ends = format!(r#""lease_duration":3600,"renewable":{is_renewable}"#);
    format!(r#"{{"auth":{{"client_token":"{token}",{ends}}}}}"#)
}

/// A method: its settings, the mount of its login and the body of it.
fn methods(jwt_file: &str) -> [(VaultSettings, &'static str, Value); 4] {
    let role = VaultSettings { role: "r".to_owned(), ..VaultSettings::default() };
    let approle = VaultSettings { secret_id: Secret::new("s"), ..role.clone() };
    let jwt = VaultSettings { jwt: Secret::new("j"), ..role.clone() };
    let mount = "clusters/one".to_owned();
    let file = VaultSettings { jwt_file: jwt_file.to_owned(), auth_mount: mount, ..role };
    [
        (
            VaultSettings { auth: VaultAuth::AppRole, ..approle },
            "approle",
            json!({ "role_id": "r", "secret_id": "s" }),
        ),
        (
            VaultSettings { auth: VaultAuth::Kubernetes, ..jwt.clone() },
            "kubernetes",
            json!({ "jwt": "j", "role": "r" }),
        ),
        (VaultSettings { auth: VaultAuth::Jwt, ..jwt }, "jwt", json!({ "jwt": "j", "role": "r" })),
        (
            VaultSettings { auth: VaultAuth::Kubernetes, ..file },
            "clusters/one",
            json!({ "jwt": "from the file", "role": "r" }),
        ),
    ]
}

#[tokio::test]
async fn every_login_is_renewed_and_made_again_when_it_cannot_be_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "from the file\n").unwrap();
    for (settings, mount, body) in methods(file.to_str().unwrap()) {
        let clock = TravellingClock::starting_at(TimestampMs(1_749_556_800_000));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let script = Script::default();
        let settings = VaultSettings { address: script.serve().await, ..settings };
        let vault = VaultClient::open(settings, environment).unwrap();
        let path = format!("POST /v1/auth/{mount}/login ");
        let read = async |answers: &[String]| -> Vec<String> {
            answers.iter().for_each(|answer| script.answer(200, "", answer));
            SecretSource::read(&vault, &location(), None).await.unwrap();
            script.asked()
        };
        let asked = read(&[login("t1", true), secret()]).await;
        let (head, sent) = asked[0].split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&path), "{head}");
        assert_eq!(serde_json::from_str::<Value>(sent).unwrap(), body, "{mount}");
        assert!(asked[1].to_ascii_lowercase().contains("x-vault-token: t1"), "{}", asked[1]);
        assert_eq!(read(&[secret()]).await.len(), 1, "{mount}: one login for many reads");
        // Two thirds of its time are over: renewed with the token itself.
        clock.travel(Duration::from_secs(2_500));
        let asked = read(&[login("t1", false), secret()]).await;
        assert!(asked[0].starts_with("POST /v1/auth/token/renew-self "), "{}", asked[0]);
        // It cannot be renewed again: a new login.
        clock.travel(Duration::from_secs(2_500));
        let asked = read(&[login("t2", true), secret()]).await;
        assert!(asked[0].starts_with(&path), "{}", asked[0]);
        assert!(asked[1].to_ascii_lowercase().contains("x-vault-token: t2"), "{}", asked[1]);
        // It ended while nobody asked: a renewal would be refused.
        clock.travel(Duration::from_secs(4_000));
        let asked = read(&[login("t3", true), secret()]).await;
        assert!(asked[0].starts_with(&path), "{}", asked[0]);
    }
}

#[tokio::test]
async fn the_token_of_a_pod_is_read_again_at_each_login() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let settings = VaultSettings {
        auth: VaultAuth::Kubernetes,
        jwt_file: file.display().to_string(),
        ..VaultSettings::default()
    };
    let script = Script::default();
    let vault = open(&script, settings).await;
    let missing = SecretSource::read(&vault, &location(), None).await.unwrap_err();
    assert!(missing.to_string().contains("JwtFile"), "{missing}");
    assert_eq!(script.asked().len(), 0, "nothing is asked without a token");
    for text in ["first", "second"] {
        std::fs::write(&file, text).unwrap();
        script.answer(403, "", "{}");
        let refused = SecretSource::read(&vault, &location(), None).await.unwrap_err();
        assert_eq!(refused.failure, PlatformFailure::Denied, "{refused}");
        let asked = script.asked();
        assert!(asked[0].contains(&format!(r#""jwt":"{text}""#)), "{}", asked[0]);
    }
}

#[tokio::test]
async fn a_login_is_made_once_and_repeated_when_it_is_revoked() {
    let script = Script::default();
    let settings = VaultSettings {
        auth: VaultAuth::AppRole,
        role: "r".to_owned(),
        secret_id: Secret::new("s"),
        ..VaultSettings::default()
    };
    let vault = open(&script, settings).await;
    let secret = secret();
    script.answer(200, "", &login("t1", true));
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
    script.answer(200, "", &login("t2", true));
    script.answer(200, "", &secret);
    SecretSource::read(&vault, &location(), None).await.unwrap();
    assert!(script.asked()[2].to_ascii_lowercase().contains("x-vault-token: t2"));
    // Still refused: no endless repeat.
    script.answer(403, "", "{}");
    script.answer(200, "", &login("t3", true));
    script.answer(403, "", "{}");
    let refused = SecretSource::read(&vault, &location(), None).await.unwrap_err();
    assert_eq!(refused.failure, PlatformFailure::Denied);
}

#[tokio::test]
async fn a_token_is_looked_up_and_renewed_before_it_ends() {
    let clock = TravellingClock::starting_at(TimestampMs(1_749_556_800_000));
    let environment = Environment::travelling(Arc::clone(&clock), 7);
    let script = Script::default();
    let address = script.serve().await;
    let settings = VaultSettings { address, renew_token: true, ..with_token() };
    let vault = VaultClient::open(settings, environment).unwrap();
    let secret = secret();
    script.answer(200, "", r#"{"data":{"ttl":3600,"renewable":true}}"#);
    script.answer(200, "", &secret);
    SecretSource::read(&vault, &location(), None).await.unwrap();
    let asked = script.asked();
    assert!(asked[0].starts_with("GET /v1/auth/token/lookup-self "), "{}", asked[0]);
    // Two thirds of its time are over.
    clock.travel(Duration::from_secs(2_500));
    let renewed = r#"{"auth":{"client_token":"root","lease_duration":3600,"renewable":true}}"#;
    script.answer(200, "", renewed);
    script.answer(200, "", &secret);
    script.answer(200, "", &secret);
    SecretSource::read(&vault, &location(), None).await.unwrap();
    SecretSource::read(&vault, &location(), None).await.unwrap();
    let asked = script.asked();
    assert!(asked[0].starts_with("POST /v1/auth/token/renew-self "), "{}", asked[0]);
    assert_eq!(asked.len(), 3, "one renewal");
}
