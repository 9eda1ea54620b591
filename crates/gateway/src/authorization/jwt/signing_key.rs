//! One public key of an issuer, and the algorithms it may be used with.
//!
//! Owns the closed list of algorithms. A token chooses only among those that fit the kind of its key: neither "none"
//! nor a secret shared by both sides is in the list, so a public key can never be taken for a secret.

use model::Json;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey,
};

use super::token::decoded;

/// A key that checks signatures.
#[derive(Clone, Debug)]
pub(crate) struct SigningKey {
    /// The only algorithm its owner allows, if it says so.
    algorithm: Option<String>,
    numbers: Numbers,
}

#[derive(Clone, Debug)]
enum Numbers {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
}

impl SigningKey {
    /// Reads one entry of a key set with its id; none when it is no public key for signatures.
    pub(crate) fn parse(entry: &Json) -> Option<(String, Self)> {
        let text = |name: &str| entry.get(name).and_then(Json::as_str);
        if text("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let number = |name: &str| text(name).and_then(decoded).filter(|bytes| !bytes.is_empty());
        let numbers = match (text("kty")?, text("crv")) {
            ("RSA", _) => Numbers::Rsa { modulus: number("n")?, exponent: number("e")? },
            ("EC", Some("P-256")) => Numbers::P256(point(&number("x")?, &number("y")?, 32)?),
            ("EC", Some("P-384")) => Numbers::P384(point(&number("x")?, &number("y")?, 48)?),
            _ => return None,
        };
        let algorithm = text("alg").map(str::to_owned);
        Some((text("kid")?.to_owned(), Self { algorithm, numbers }))
    }

    /// Whether a signature under an algorithm is by this key.
    pub(crate) fn verify(&self, algorithm: &str, signed: &[u8], signature: &[u8]) -> bool {
        if self.algorithm.as_deref().is_some_and(|only| only != algorithm) {
            return false;
        }
        let checked = match (&self.numbers, algorithm) {
            (Numbers::Rsa { modulus, exponent }, _) => {
                let Some(parameters) = rsa(algorithm) else { return false };
                RsaPublicKeyComponents { n: modulus, e: exponent }
                    .verify(parameters, signed, signature)
            }
            (Numbers::P256(point), "ES256") => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
            }
            (Numbers::P384(point), "ES384") => {
                UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point).verify(signed, signature)
            }
            _ => return false,
        };
        checked.is_ok()
    }
}

fn rsa(algorithm: &str) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        "RS256" => &RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &RSA_PSS_2048_8192_SHA256,
        "PS384" => &RSA_PSS_2048_8192_SHA384,
        "PS512" => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

/// An uncompressed point of a curve.
fn point(x: &[u8], y: &[u8], bytes: usize) -> Option<Vec<u8>> {
    if x.len() != bytes || y.len() != bytes {
        return None;
    }
    Some([&[4], x, y].concat())
}
