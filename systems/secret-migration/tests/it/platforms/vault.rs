//! The Vault client against a server of the test that answers as Vault does: versions, deleted and destroyed
//! ones, check-and-set, sealed and standby nodes, garbage, half of an answer, another version's shape.

use std::time::Duration;

use client::Environment;
use secret_migration::{
    ExpectedVersion, PlatformFailure, SecretData, SecretLocation, SecretSource, SecretTarget,
    SecretValue, VaultClient, VaultSettings,
};
use service::settings::Secret;

use super::script::Script;

pub(super) async fn open(script: &Script, settings: VaultSettings) -> VaultClient {
    let settings = VaultSettings { address: script.serve().await, ..settings };
    VaultClient::open(settings, Environment::system()).unwrap()
}

pub(super) fn with_token() -> VaultSettings {
    VaultSettings { token: Secret::new("root"), ..VaultSettings::default() }
}

pub(super) fn location() -> SecretLocation {
    SecretLocation { mount: "secret".to_owned(), path: "app/db".to_owned() }
}

pub(super) const METADATA: &str =
    r#"{"version":3,"created_time":"2025-01-01T00:00:00Z","deletion_time":"","destroyed":false}"#;

#[tokio::test]
async fn versions_one_and_two_are_read_with_token_and_namespace() {
    let script = Script::default();
    let settings = VaultSettings { namespace: "team".to_owned(), ..with_token() };
    let vault = open(&script, settings.clone()).await;
    script.answer(200, "", &format!(r#"{{"data":{{"data":{{"k":"v"}},"metadata":{METADATA}}}}}"#));
    let read = SecretSource::read(&vault, &location(), Some(3)).await.unwrap();
    assert_eq!((read.version, read.data.keys()), (3, vec!["k".to_owned()]));
    let asked = script.asked().remove(0).to_ascii_lowercase();
    assert!(asked.starts_with("get /v1/secret/data/app/db?version=3 "), "{asked}");
    assert!(asked.contains("x-vault-token: root") && asked.contains("x-vault-namespace: team"));
    let one = open(&script, VaultSettings { engine_version: 1, ..settings }).await;
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
    let vault = open(&script, with_token()).await;
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
    let vault = open(&script, with_token()).await;
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
async fn requests_keep_to_their_rate() {
    let clock = client::TravellingClock::starting_at(client::TimestampMs(1_749_556_800_000));
    let environment = Environment::travelling(std::sync::Arc::clone(&clock), 7);
    let script = Script::default();
    let address = script.serve().await;
    let settings = VaultSettings { address, requests_per_second: 10, ..with_token() };
    let vault = VaultClient::open(settings, environment.clone()).unwrap();
    let secret = format!(r#"{{"data":{{"data":{{"k":"v"}},"metadata":{METADATA}}}}}"#);
    let begin = environment.stopwatch();
    for _ in 0..5 {
        script.answer(200, "", &secret);
        SecretSource::read(&vault, &location(), None).await.unwrap();
    }
    // Sleeping moves this clock: five requests at ten per second have four pauses between them.
    assert_eq!(environment.stopwatch() - begin, Duration::from_millis(400));
}

#[tokio::test]
async fn a_version_with_a_later_deletion_still_lives() {
    let script = Script::default();
    let vault = open(&script, with_token()).await;
    let metadata = |deletion: &str| {
        let version = format!(r#"{{"deletion_time":"{deletion}","destroyed":false}}"#);
        format!(r#"{{"data":{{"current_version":2,"versions":{{"2":{version}}}}}}}"#)
    };
    script.answer(200, "", &metadata("2999-01-01T00:00:00.123456789Z"));
    assert_eq!(vault.live_version(&location()).await.unwrap(), 2);
    script.answer(200, "", &metadata("2020-01-01T00:00:00.123456789Z"));
    let gone = vault.live_version(&location()).await.unwrap_err();
    assert_eq!(gone.failure, PlatformFailure::Deleted { version: 2, destroyed: false });
}

#[tokio::test]
async fn a_certificate_of_an_own_authority_is_trusted_only_if_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let names = vec!["localhost".to_owned()];
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(names).unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, cert.pem()).unwrap();
    let key =
        tokio_rustls::rustls::pki_types::PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = std::sync::Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let tls = tokio_rustls::rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(tls));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let body = format!(r#"{{"data":{{"data":{{"k":"v"}},"metadata":{METADATA}}}}}"#);
    tokio::spawn(async move {
        loop {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let (socket, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(socket).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    let address = format!("https://localhost:{port}");
    let trusting = VaultSettings {
        address: address.clone(),
        ca_file: file.display().to_string(),
        ..with_token()
    };
    let vault = VaultClient::open(trusting, Environment::system()).unwrap();
    let read = SecretSource::read(&vault, &location(), None).await.unwrap();
    assert_eq!(read.version, 3);
    let doubting = VaultSettings { address, ..with_token() };
    let vault = VaultClient::open(doubting, Environment::system()).unwrap();
    let refused = SecretSource::read(&vault, &location(), None).await.unwrap_err();
    assert!(matches!(refused.failure, PlatformFailure::Unreachable { .. }), "{refused:?}");
    for (content, why) in [(None, "No such file"), (Some("no certificate"), "no certificate")] {
        let wrong = folder.path().join("wrong.pem");
        if let Some(content) = content {
            std::fs::write(&wrong, content).unwrap();
        }
        let settings = VaultSettings { ca_file: wrong.display().to_string(), ..with_token() };
        let Err(error) = VaultClient::open(settings, Environment::system()) else {
            panic!("a file without certificates was taken")
        };
        assert!(error.to_string().contains("Vault:CaFile") && error.to_string().contains(why));
    }
}
