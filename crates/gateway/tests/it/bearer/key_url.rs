//! Keys that an issuer publishes at an address: fetched once, again for an unknown key, and not too often.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gateway::{Issuer, KeySource};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::signer::{Signer, claims, header, key_set, server};
use crate::client::{Answer, Server};

const ROLES: &str = r#"{"roleAssignments":[{"principalId":"p","scope":"/",
    "roleDefinitionId":"00000000-0000-0000-0000-000000000001"}]}"#;

/// A server that returns a key set and counts its requests.
struct Published {
    url: String,
    keys: Arc<Mutex<String>>,
    asked: Arc<AtomicUsize>,
}

impl Published {
    async fn new(keys: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys?v=1", listener.local_addr().unwrap());
        let (keys, asked) = (Arc::new(Mutex::new(keys)), Arc::new(AtomicUsize::new(0)));
        let (expected, counted) = (Arc::clone(&keys), Arc::clone(&asked));
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                assert!(head.starts_with(b"GET /keys?v=1 HTTP/1.1\r\n"));
                counted.fetch_add(1, Ordering::SeqCst);
                let body = expected.lock().await.clone();
                let status = if body.is_empty() { "500 Broken" } else { "200 OK" };
                let length = body.len();
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { url, keys, asked }
    }

    async fn publish(&self, keys: String) {
        *self.keys.lock().await = keys;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

async fn get(server: &Server, signer: &Signer) -> Answer {
    let token = signer.token(&claims("p"));
    server.get("/dbs").unsigned().with("authorization", &header(&token)).send().await
}

#[tokio::test]
async fn keys_are_fetched_once_and_again_for_an_unknown_key() {
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    let published = Published::new(key_set(&[old.public()])).await;
    let server = server(KeySource::Url(published.url.clone()), ROLES).await;
    assert_eq!(published.asked(), 0);
    for _ in 0..3 {
        get(&server, &old).await.expect(200);
    }
    assert_eq!(published.asked(), 1);
    published.publish(key_set(&[new.public()])).await;
    get(&server, &new).await.refused(401, Some("5200"), "does not publish");
    assert_eq!(published.asked(), 1, "made-up key ids do not make us ask");
    server.travel(30);
    get(&server, &new).await.expect(200);
    get(&server, &old).await.refused(401, Some("5200"), "does not publish");
    assert_eq!(published.asked(), 2);
}

#[tokio::test]
async fn old_keys_are_fetched_again_and_kept_if_that_fails() {
    let signer = Signer::new("one");
    let published = Published::new(key_set(&[signer.public()])).await;
    let server = server(KeySource::Url(published.url.clone()), ROLES).await;
    get(&server, &signer).await.expect(200);
    published.publish(String::new()).await;
    server.travel(3500);
    get(&server, &signer).await.expect(200);
    assert_eq!(published.asked(), 1);
    server.travel(101);
    let token = signer.token(&claims("p").replace(r#""exp":179"#, r#""exp":180"#));
    let get = || server.get("/dbs").unsigned().with("authorization", &header(&token)).send();
    get().await.expect(200);
    assert_eq!(published.asked(), 2);
    // A key that its owner took back is refused as soon as the owner can be asked.
    published.publish(key_set(&[Signer::new("other").public()])).await;
    server.travel(30);
    get().await.refused(401, Some("5200"), "does not publish");
}

#[tokio::test]
async fn an_unavailable_issuer_is_reported() {
    let signer = Signer::new("one");
    let published = Published::new(String::new()).await;
    let server = server(KeySource::Url(published.url.clone()), ROLES).await;
    get(&server, &signer).await.refused(401, Some("5200"), "the answer is 500");
    server.travel(30);
    published.publish("no keys".to_owned()).await;
    get(&server, &signer).await.refused(401, Some("5200"), "is not JSON");
}

#[test]
fn invalid_settings_are_refused_at_the_start() {
    let url = |text: &str| KeySource::Url(text.to_owned());
    let audience = || vec!["a".to_owned()];
    assert!(Issuer::new("i", audience(), url("http://issuer.example/keys")).is_err());
    assert!(Issuer::new("i", audience(), KeySource::File("missing.json".into())).is_err());
    assert!(Issuer::new("", audience(), url("https://issuer.example/keys")).is_err());
    assert!(Issuer::new("i", Vec::new(), url("https://issuer.example/keys")).is_err());
    assert!(Issuer::new("i", audience(), url("https://issuer.example/keys")).is_ok());
}
