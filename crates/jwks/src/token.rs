//! A token split into header, claims and signature. None of them is verified.
//!
//! Owns splitting and decoding. Does not own any check.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::claims::TokenClaims;
use crate::error::TokenError;

/// A token whose signature has not been checked.
#[derive(Debug)]
pub struct UnverifiedToken<'a> {
    header: Map<String, Value>,
    /// The text that is signed: header and claims as they were sent.
    #[cfg_attr(not(feature = "verify"), expect(dead_code, reason = "only verification reads it"))]
    pub(crate) signed: &'a str,
    claims: &'a str,
    pub(crate) signature: &'a str,
}

impl<'a> UnverifiedToken<'a> {
    /// Splits a token and decodes its header.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] when it does not have three parts, or its header is not a JSON object.
    pub fn parse(text: &'a str) -> Result<Self, TokenError> {
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TokenError::Malformed("is not a JWT of three parts"));
        };
        let signed = text.get(..header.len() + 1 + claims.len()).unwrap_or_default();
        let header =
            decode_object(header).ok_or(TokenError::Malformed("has a header that is not JSON"))?;
        Ok(Self { header, signed, claims, signature })
    }

    /// A string of the header.
    #[must_use]
    pub fn header_text(&self, name: &str) -> Option<&str> {
        self.header.get(name).and_then(Value::as_str)
    }

    #[cfg(feature = "verify")]
    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.header.contains_key(name)
    }

    /// The bytes of the signature; empty if it is not base64.
    #[must_use]
    pub fn signature_bytes(&self) -> Vec<u8> {
        decode_base64(self.signature).unwrap_or_default()
    }

    /// Decodes the claims without checking the signature: only for callers that have verified the token in another way.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] when the claims are not a JSON object.
    pub fn unverified_claims(&self) -> Result<TokenClaims, TokenError> {
        let claims = decode_object(self.claims);
        claims.map(TokenClaims::new).ok_or(TokenError::Malformed("has claims that are not JSON"))
    }
}

fn decode_base64(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()
}

fn decode_object(part: &str) -> Option<Map<String, Value>> {
    decode_base64(part).and_then(|bytes| serde_json::from_slice(&bytes).ok())
}
