//! Azure Key Vault: a path is one secret whose value is a JSON object.
//!
//! The service has no conditional write: a write that finds another version than expected is refused before it is sent,
//! but two writers in the same moment add two versions. Workers have leases, so that they do not meet.

use async_trait::async_trait;
use client::Environment;
use reqwest::Method;
use ring::digest;
use serde::Deserialize;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::domain::SecretVersion;
use crate::error::Result;
use crate::platform::{
    PlatformAnswer, PlatformError, PlatformFailure, PlatformHttp, PlatformTokens,
};
use crate::secret::{SecretData, SecretValue};

use super::settings::SmpSettings;
use super::traits::{ExpectedVersion, SecretTarget, TargetSecret};

const API_VERSION: &str = "7.4";
const SCOPE: &str = "https://vault.azure.net/.default";
/// The longest name of a secret.
const NAME_MAX: usize = 127;
/// The largest value in bytes.
const VALUE_MAX: usize = 25 << 10;

/// Azure Key Vault.
pub struct KeyVaultTarget {
    http: PlatformHttp,
    tokens: PlatformTokens,
    address: String,
}

/// A version of a secret.
#[derive(Deserialize)]
struct SecretBundle<'a> {
    #[serde(borrow)]
    value: Option<&'a serde_json::value::RawValue>,
    id: String,
}

impl KeyVaultTarget {
    /// Opens it. Nothing is sent yet.
    ///
    /// # Errors
    /// `Invalid` for an address or a certificate file that cannot be used.
    pub fn open(settings: &SmpSettings, environment: Environment) -> Result<Self> {
        let http = settings.open_http(environment)?;
        let tokens = settings.access_tokens(SCOPE);
        Ok(Self { http, tokens, address: settings.address.trim_end_matches('/').to_owned() })
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Zeroizing<Vec<u8>>>,
    ) -> std::result::Result<PlatformAnswer, PlatformError> {
        let token = self.tokens.token(&self.http).await?;
        let (address, name) = (&self.address, secret_name(path));
        let url = format!("{address}/secrets/{name}?api-version={API_VERSION}");
        let mut request = self.http.request(method, &url).bearer_auth(token.expose());
        if let Some(body) = body {
            request = request.header("content-type", "application/json");
            request = request.body(bytes::Bytes::from_owner(body));
        }
        self.http.send(request, path).await
    }

    fn version(bundle: &SecretBundle<'_>) -> SecretVersion {
        SecretVersion::Text(bundle.id.rsplit('/').next().unwrap_or_default().to_owned())
    }
}

/// The name of a path: letters, digits and hyphens. Names ignore case, so capitals are encoded, too. `/` becomes `--`,
/// everything else `-` and two digits. A name that would be too long ends in a hash instead.
fn secret_name(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => name.push(char::from(byte)),
            b'/' => name.push_str("--"),
            other => name.push_str(&format!("-{other:02x}")),
        }
    }
    if name.len() <= NAME_MAX {
        return name;
    }
    let hash = digest::digest(&digest::SHA256, path.as_bytes());
    let hash: String = hash.as_ref().iter().take(20).map(|byte| format!("{byte:02x}")).collect();
    name.truncate(NAME_MAX - 42);
    // No encoded byte begins with `-h`, so this cannot be the name of another path.
    format!("{name}-h{hash}")
}

#[async_trait]
impl SecretTarget for KeyVaultTarget {
    fn numbers_versions(&self) -> bool {
        false
    }

    async fn read(&self, path: &str) -> std::result::Result<Option<TargetSecret>, PlatformError> {
        let answer = self.call(Method::GET, path, None).await?;
        match answer.require_success(path) {
            Ok(()) => {}
            Err(error) if error.failure == PlatformFailure::Missing => return Ok(None),
            Err(error) => return Err(error),
        }
        let garbage =
            |why: &str| PlatformError::new(PlatformFailure::Garbage { why: why.to_owned() }, path);
        let bundle: SecretBundle<'_> = answer.parse(path)?;
        let value = bundle.value.ok_or_else(|| garbage("a secret without a value"))?;
        let text: String =
            serde_json::from_str(value.get()).map_err(|_| garbage("a value that is no text"))?;
        let text = Zeroizing::new(text);
        let data = SecretData::parse(text.as_bytes()).map_err(|why| garbage(&why))?;
        Ok(Some(TargetSecret { version: Self::version(&bundle), data }))
    }

    async fn write(
        &self,
        path: &str,
        data: &SecretData,
        expected: &ExpectedVersion,
    ) -> std::result::Result<SecretVersion, PlatformError> {
        let present = self.read(path).await?.map(|secret| secret.version);
        let is_expected = match expected {
            ExpectedVersion::Absent => present.is_none(),
            ExpectedVersion::Version(version) => present.as_ref() == Some(version),
        };
        if !is_expected {
            return Err(PlatformError::new(PlatformFailure::VersionConflict, path));
        }
        let json = data.to_json_within("", "");
        if json.len() > VALUE_MAX {
            return Err(PlatformError::new(PlatformFailure::Refused { status: 413 }, path));
        }
        let text = std::str::from_utf8(&json).unwrap_or_default();
        let tags = format!(
            ",\"contentType\":\"application/json\",\"tags\":{{\"path\":{}}}}}",
            Value::from(path)
        );
        let value = SecretValue::from_text(text);
        let mut body =
            Zeroizing::new(Vec::with_capacity(value.expose_json().len() + tags.len() + 10));
        body.extend_from_slice(b"{\"value\":");
        body.extend_from_slice(value.expose_json().as_bytes());
        body.extend_from_slice(tags.as_bytes());
        let answer = self.call(Method::PUT, path, Some(body)).await?;
        answer.require_success(path)?;
        Ok(Self::version(&answer.parse(path)?))
    }
}

#[cfg(test)]
mod tests {
    use super::secret_name;

    #[test]
    fn names_are_legal_and_different() {
        assert_eq!(secret_name("apps/shop/db"), "apps--shop--db");
        let paths =
            ["a/b", "a-b", "a--b", "a/B", "a_b", "a-2fb", &"x/".repeat(80), &"X".repeat(99)];
        let names: std::collections::BTreeSet<_> =
            paths.iter().map(|path| secret_name(path).to_ascii_lowercase()).collect();
        assert_eq!(names.len(), paths.len(), "{names:?}");
        let is_legal = |name: &String| {
            name.len() <= 127 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        assert!(names.iter().all(is_legal), "{names:?}");
    }
}
