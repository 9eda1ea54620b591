//! An issuer for tests: generated keys, tokens signed with them, and a server that accepts them.

use std::io::Write;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway::{Issuer, KeySource, RoleAssignments};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

use crate::client::{NOW_SECONDS, Server};

pub(crate) const ISSUER: &str = "https://issuer.example/";
pub(crate) const AUDIENCE: &str = "https://cosmos.example";

/// A key pair with its id.
pub(crate) struct Signer {
    pub(crate) kid: &'static str,
    pair: EcdsaKeyPair,
}

impl Signer {
    pub(crate) fn new(kid: &'static str) -> Self {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap();
        Self { kid, pair }
    }

    /// The public key as its issuer publishes it.
    pub(crate) fn public(&self) -> String {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (&point[1..33], &point[33..65]);
        format!(
            r#"{{"kty":"EC","use":"sig","crv":"P-256","kid":"{}","x":"{}","y":"{}"}}"#,
            self.kid,
            text(x),
            text(y)
        )
    }

    pub(crate) fn token(&self, claims: &str) -> String {
        self.token_with(&format!(r#"{{"typ":"JWT","alg":"ES256","kid":"{}"}}"#, self.kid), claims)
    }

    pub(crate) fn token_with(&self, head: &str, claims: &str) -> String {
        let signed = format!("{}.{}", text(head), text(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", text(signature))
    }
}

pub(crate) fn text(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Valid claims; a test changes one of them.
pub(crate) fn claims(oid: &str) -> String {
    let (begins, ends) = (NOW_SECONDS, NOW_SECONDS + 3600);
    format!(
        r#"{{"iss":"{ISSUER}","aud":"{AUDIENCE}","nbf":{begins},"iat":{begins},"exp":{ends},"oid":"{oid}"}}"#
    )
}

pub(crate) fn key_set(keys: &[String]) -> String {
    format!(r#"{{"keys":[{}]}}"#, keys.join(","))
}

pub(crate) fn file(content: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content.as_bytes()).unwrap();
    file
}

pub(crate) fn header(token: &str) -> String {
    format!("type%3Daad%26ver%3D1.0%26sig%3D{token}")
}

/// A server with the container `c` in `d` that trusts an issuer.
pub(crate) async fn server(source: KeySource, roles: &str) -> Server {
    let issuer =
        Issuer::new(ISSUER, vec!["https://other.example".to_owned(), AUDIENCE.to_owned()], source);
    let issuer = Arc::new(issuer.unwrap());
    let roles = Arc::new(RoleAssignments::parse(roles).unwrap());
    let server = Server::with(|settings| {
        settings.issuer = Some(issuer);
        settings.role_assignments = roles;
    })
    .await;
    for database in ["d", "e"] {
        server.post("/dbs", &format!(r#"{{"id":"{database}"}}"#)).send().await.expect(201);
        for container in ["c", "o"] {
            let body = format!(
                r#"{{"id":"{container}","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}}}}"#
            );
            let path = format!("/dbs/{database}/colls");
            server.post(&path, &body).send().await.expect(201);
        }
    }
    server
}
