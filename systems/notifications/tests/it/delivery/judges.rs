//! Our requests compared with those of the vendors' client libraries for the same push.
//!
//! The requests of the libraries are recorded in `judges/recorded.json`; `judges/README.md` says how. Expected
//! differences are listed here one by one; any other difference fails.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use notifications::Platform;
use notifications::delivery::fake::{FakeApns, FakeFcm, ReceivedRequest};
use notifications::delivery::{ProviderSettings, WebhookSigner};
use serde_json::{Value, json};
use service::settings::Secret;

use super::ground::{Ground, NOW_MS, TOKEN, device, push, sent};

fn recorded(library: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../../judges/recorded.json")).unwrap();
    all[library].clone()
}

/// Seconds as the record has them: counted from now.
fn from_now(seconds: u64) -> Value {
    format!("now + {} s", seconds - NOW_MS / 1000).into()
}

/// The first two parts of a signed token, as the record has them.
fn signed(token: &str) -> Value {
    let part = |index: usize| -> Value {
        let text = token.split('.').nth(index).unwrap();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
    };
    let mut claims = part(1);
    for name in ["iat", "exp"] {
        if let Some(seconds) = claims[name].as_u64() {
            claims[name] = from_now(seconds);
        }
    }
    json!({ "header": part(0), "claims": claims })
}

async fn ours() -> (ReceivedRequest, ReceivedRequest, ReceivedRequest) {
    let ground = Ground::new();
    let fcm = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let apns = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let providers = ground.providers(&ProviderSettings {
        fcm: fcm.settings(),
        apns: apns.settings(),
        ..ProviderSettings::default()
    });
    for platform in [Platform::Fcm, Platform::Apns] {
        assert_eq!(sent(&providers, &device(platform, TOKEN), &push()).await, "delivered");
    }
    let token = fcm.tokens().received().remove(0);
    (token, fcm.messages().received().remove(0), apns.pushes().received().remove(0))
}

#[tokio::test]
async fn the_exchange_for_an_access_token_is_that_of_the_library() {
    let theirs = recorded("firebase-admin")["requests"][0].clone();
    let (ours, ..) = ours().await;
    assert_eq!(theirs["method"], ours.method.as_str());
    let their_type = theirs["headers"]["content-type"].as_str().unwrap();
    assert_eq!(their_type.split(';').next().unwrap(), ours.header("content-type"));
    let body = String::from_utf8(ours.body.to_vec()).unwrap();
    let (grant, assertion) = body.split_once("&assertion=").unwrap();
    let grant = grant.replace("grant_type=", "").replace("%3A", ":");
    assert_eq!(theirs["body"]["grant_type"], grant);

    let mut our_assertion = signed(assertion);
    let mut their_assertion = theirs["body"]["assertion"].clone();
    // They ask for more rights than messages need, and name the real endpoint; we name the type of the token.
    let scope = our_assertion["claims"]["scope"].take();
    let their_scope = their_assertion["claims"]["scope"].take();
    assert!(their_scope.as_str().unwrap().split(' ').any(|one| scope == one));
    assert_eq!(their_assertion["claims"]["aud"].take(), "https://oauth2.googleapis.com/token");
    assert!(our_assertion["claims"]["aud"].take().as_str().unwrap().ends_with("/token"));
    their_assertion["header"]["typ"] = "JWT".into();
    assert_eq!(our_assertion, their_assertion);
}

#[tokio::test]
async fn a_message_is_that_of_the_library() {
    let mut theirs = recorded("firebase-admin")["requests"][1].clone();
    let (_, ours, _) = ours().await;
    assert_eq!(theirs["method"], ours.method.as_str());
    assert_eq!(theirs["path"], ours.path.as_str());
    assert_eq!(theirs["headers"]["authorization"], ours.header("authorization"));
    let their_type = theirs["headers"]["content-type"].as_str().unwrap();
    assert_eq!(their_type.split(';').next().unwrap(), ours.header("content-type"));
    // They write the word in small letters, the reference in capitals.
    let priority = &mut theirs["body"]["message"]["android"]["priority"];
    *priority = priority.as_str().unwrap().to_uppercase().into();
    let mut body = ours.json();
    let expiration = &mut body["message"]["apns"]["headers"]["apns-expiration"];
    *expiration = from_now(expiration.as_str().unwrap().parse().unwrap());
    assert_eq!(body, theirs["body"]);
}

#[tokio::test]
async fn a_push_to_apns_is_that_of_the_library() {
    let library = recorded("@parse/node-apn");
    assert_eq!(library["violations"], json!([]), "the fake takes what the library sends");
    let theirs = library["requests"][0].clone();
    let (_, _, ours) = ours().await;
    assert_eq!(theirs["method"], ours.method.as_str());
    assert_eq!(theirs["path"], ours.path.as_str());
    assert_eq!(theirs["overHttp2"], ours.is_http2);
    assert_eq!(theirs["body"], ours.json());
    for (name, value) in theirs["headers"].as_object().unwrap() {
        let ours = ours.header(name);
        match name.as_str() {
            "apns-id" => assert_eq!(value.as_str().unwrap().len(), ours.len()),
            "apns-expiration" => assert_eq!(value, &from_now(ours.parse().unwrap())),
            "authorization" => {
                let (scheme, token) = ours.split_once(' ').unwrap();
                let mut ours = signed(token);
                ours["scheme"] = scheme.into();
                assert_eq!(value, &ours);
            }
            _ => assert_eq!(value, ours, "{name}"),
        }
    }
}

#[test]
fn a_signature_of_a_webhook_is_that_of_the_library() {
    let secret = Secret::new("whsec_ZGVtbyBzZWNyZXQgb2YgdGhlIGZha2UgcmVjZWl2ZXI=");
    let signature = WebhookSigner::new(&secret).unwrap();
    let ours = signature.sign("msg_1", NOW_MS / 1000, br#"{"type":"notification"}"#);
    assert_eq!(recorded("standardwebhooks")["signature"], ours);
}
