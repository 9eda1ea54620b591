//! A platform with a plain HTTP interface: GET reads a JSON object, PUT with a condition writes one.
//!
//! | request | answer |
//! |---|---|
//! | `GET` | 200 with the data and an `ETag`, or 404 |
//! | `PUT` with `If-None-Match: *` or `If-Match` | 200, 201 or 204 with an `ETag`; 412 if the condition does not hold |

use async_trait::async_trait;
use bytes::Bytes;
use client::Environment;
use reqwest::Method;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::domain::SecretVersion;
use crate::error::Result;
use crate::platform::{
    PlatformAnswer, PlatformError, PlatformFailure, PlatformHttp, PlatformTokens, encode_path,
};
use crate::secret::SecretData;

use super::settings::SmpSettings;
use super::traits::{ExpectedVersion, SecretTarget, TargetSecret};

/// A platform with a plain HTTP interface.
pub struct RestTarget {
    http: PlatformHttp,
    tokens: PlatformTokens,
    address: String,
    data_member: String,
}

impl RestTarget {
    /// Opens it. Nothing is sent yet.
    ///
    /// # Errors
    /// `Invalid` for an address or a certificate file that cannot be used.
    pub fn open(settings: &SmpSettings, environment: Environment) -> Result<Self> {
        let http = settings.open_http(environment)?;
        let tokens = settings.access_tokens("");
        let (address, data_member) = (settings.address.clone(), settings.data_member.clone());
        Ok(Self { http, tokens, address, data_member })
    }

    fn url(&self, path: &str) -> String {
        let path = encode_path(path);
        if self.address.contains("{path}") {
            return self.address.replace("{path}", &path);
        }
        format!("{}/{path}", self.address.trim_end_matches('/'))
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        write: Option<(&str, &str, Bytes)>,
    ) -> std::result::Result<PlatformAnswer, PlatformError> {
        let token = self.tokens.token(&self.http).await?;
        let mut request = self.http.request(method, &self.url(path)).bearer_auth(token.expose());
        if let Some((condition, value, body)) = write {
            request = request.header(condition, value);
            request = request.header("content-type", "application/json").body(body);
        }
        self.http.send(request, path).await
    }

    fn data(
        &self,
        answer: &PlatformAnswer,
        path: &str,
    ) -> std::result::Result<SecretData, PlatformError> {
        let garbage = |why: String| PlatformError::new(PlatformFailure::Garbage { why }, path);
        if self.data_member.is_empty() {
            return SecretData::parse(&answer.body).map_err(garbage);
        }
        let members: AnswerMembers<'_> = answer.parse(path)?;
        let member = members.0.get(&self.data_member);
        let member = member.ok_or_else(|| garbage(format!("no member '{}'", self.data_member)))?;
        SecretData::parse(member.get().as_bytes()).map_err(garbage)
    }

    /// The version is the entity tag: without one a later write could not name what it replaces.
    fn version(
        answer: &PlatformAnswer,
        path: &str,
    ) -> std::result::Result<SecretVersion, PlatformError> {
        let etag = answer.etag.clone().ok_or_else(|| {
            let why = "no ETag".to_owned();
            PlatformError::new(PlatformFailure::Garbage { why }, path)
        })?;
        Ok(SecretVersion::Text(etag))
    }
}

/// The members of an answer, still in its text.
#[derive(Deserialize)]
struct AnswerMembers<'a>(#[serde(borrow)] std::collections::BTreeMap<String, &'a RawValue>);

#[async_trait]
impl SecretTarget for RestTarget {
    fn numbers_versions(&self) -> bool {
        false
    }

    async fn read(&self, path: &str) -> std::result::Result<Option<TargetSecret>, PlatformError> {
        let answer = self.call(Method::GET, path, None).await?;
        match answer.require_success(path) {
            Ok(()) => {
                let version = Self::version(&answer, path)?;
                Ok(Some(TargetSecret { version, data: self.data(&answer, path)? }))
            }
            Err(error) if error.failure == PlatformFailure::Missing => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn write(
        &self,
        path: &str,
        data: &SecretData,
        expected: &ExpectedVersion,
    ) -> std::result::Result<SecretVersion, PlatformError> {
        let (before, after) = match self.data_member.as_str() {
            "" => (String::new(), ""),
            member => (format!("{{{}:", serde_json::Value::from(member)), "}"),
        };
        let body = Bytes::from_owner(data.to_json_within(&before, after));
        let known = match expected {
            ExpectedVersion::Absent => None,
            ExpectedVersion::Version(version) => Some(version.to_string()),
        };
        let (condition, value) = match &known {
            None => ("if-none-match", "*"),
            Some(etag) => ("if-match", etag.as_str()),
        };
        let answer = self.call(Method::PUT, path, Some((condition, value, body))).await?;
        answer.require_success(path)?;
        Self::version(&answer, path)
    }
}
