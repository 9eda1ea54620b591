//! A bearer token taken apart: head, claims and signature, none of them believed yet.
//!
//! Owns the three parts. Does not own any check of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::StatusCode;
use model::Json;

use crate::exchange::{Failure, Outcome};

/// A token in its parts.
#[derive(Debug)]
pub(crate) struct Token<'a> {
    pub(crate) head: Json,
    /// The text that is signed: head and claims as they came.
    pub(crate) signed: &'a str,
    claims: &'a str,
    pub(crate) signature: Vec<u8>,
}

impl<'a> Token<'a> {
    pub(crate) fn parse(text: &'a str) -> Outcome<Self> {
        let mut parts = text.split('.');
        let (Some(head), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed("is not a JWT of three parts"));
        };
        let signed = text.get(..head.len() + 1 + claims.len()).unwrap_or_default();
        let head = json(head).ok_or_else(|| malformed("has a head that is not JSON"))?;
        let signature = decoded(signature).unwrap_or_default();
        Ok(Self { head, signed, claims, signature })
    }

    /// A text of the head.
    pub(crate) fn head(&self, name: &str) -> Option<&str> {
        self.head.get(name).and_then(Json::as_str)
    }

    /// The claims, which mean nothing before the signature was checked.
    pub(crate) fn claims(&self) -> Outcome<Json> {
        let claims = json(self.claims).filter(|claims| claims.as_object().is_some());
        claims.ok_or_else(|| malformed("has claims that are not JSON"))
    }
}

pub(super) fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()
}

fn json(part: &str) -> Option<Json> {
    decoded(part).and_then(|bytes| Json::parse(&bytes).ok())
}

fn malformed(why: &str) -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, format!("The bearer token {why}.")).sub_status(5003)
}
