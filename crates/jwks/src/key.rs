//! One public key of an issuer, and the algorithms that it may be used with.
//!
//! Owns the closed list of algorithms for each type of key. A token chooses only among those that fit the type of its
//! key. Neither `none` nor an algorithm with a shared secret is in the list, so a public key can never be taken for a
//! secret.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};

/// A public key that verifies signatures.
pub(crate) struct VerificationKey {
    key: DecodingKey,
    /// The algorithms for this type of key, or the single one that the issuer allows.
    algorithms: Vec<Algorithm>,
}

impl VerificationKey {
    /// Converts an entry of a key set. Returns `None` if it is not a public key for signatures that we support.
    pub(crate) fn from_jwk(jwk: &Jwk) -> Option<Self> {
        if jwk
            .common
            .public_key_use
            .as_ref()
            .is_some_and(|purpose| *purpose != PublicKeyUse::Signature)
        {
            return None;
        }
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => vec![
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(point) => {
                let (algorithm, bytes) = match point.curve {
                    EllipticCurve::P256 => (Algorithm::ES256, 32),
                    EllipticCurve::P384 => (Algorithm::ES384, 48),
                    _ => return None,
                };
                // The library does not check that the coordinates have the length of the curve.
                let has_length = |coordinate: &str| {
                    URL_SAFE_NO_PAD.decode(coordinate).is_ok_and(|decoded| decoded.len() == bytes)
                };
                if !has_length(&point.x) || !has_length(&point.y) {
                    return None;
                }
                vec![algorithm]
            }
            _ => return None,
        };
        if let Some(only) = jwk.common.key_algorithm.as_ref().map(ToString::to_string) {
            algorithms.retain(|algorithm| only == format!("{algorithm:?}"));
        }
        Some(Self { key: DecodingKey::from_jwk(jwk).ok()?, algorithms })
    }

    /// Whether `signature`, in base64, is the signature of a message by this key.
    pub(crate) fn verify(&self, algorithm: Algorithm, message: &str, signature: &str) -> bool {
        self.algorithms.contains(&algorithm)
            && verify_with(&self.key, algorithm, message, signature)
    }
}

/// Whether `signature`, in base64, is the signature of a message by a key.
pub(crate) fn verify_with(
    key: &DecodingKey,
    algorithm: Algorithm,
    message: &str,
    signature: &str,
) -> bool {
    jsonwebtoken::crypto::verify(signature, message.as_bytes(), key, algorithm).unwrap_or(false)
}
