//! What an issuer publishes about itself: OpenID Connect Discovery 1.0.
//!
//! Owns reading the document and checking that it belongs to the issuer and names only addresses that can be trusted.
//! Does not own the protocol that these addresses speak.

use serde::Deserialize;

use crate::error::KeySourceError;
use crate::fetch::{fetch, parse_url};

const DOCUMENT_PATH: &str = "/.well-known/openid-configuration";
const DOCUMENT: &str = "description of the issuer";

/// In the name of an issuer of many tenants: its tokens name the tenant here, and in the claim `tid`.
const TENANT: &str = "{tenantid}";
/// The tenant in the address of such an issuer: all organisations, without personal accounts.
const ORGANIZATIONS: &str = "organizations";

/// Whether a token or a response is of this issuer. The name of an issuer of many tenants has `{tenantid}` in the
/// place of the tenant, which is a GUID; a token must name the same one in `tid`.
#[must_use]
pub fn is_of_issuer(issuer: &str, found: &str, tenant: Option<&str>) -> bool {
    let Some((front, rest)) = issuer.split_once(TENANT) else { return found == issuer };
    let named = found.strip_prefix(front).and_then(|found| found.strip_suffix(rest));
    named.is_some_and(|named| is_guid(named) && tenant.is_none_or(|tenant| tenant == named))
}

fn is_guid(text: &str) -> bool {
    let hyphens = [8, 13, 18, 23];
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match hyphens.contains(&at) {
            true => byte == b'-',
            false => byte.is_ascii_hexdigit(),
        })
}

/// Where an issuer is.
fn address(issuer: &str) -> String {
    issuer.replace(TENANT, ORGANIZATIONS)
}

/// The addresses and abilities of an issuer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct IssuerMetadata {
    /// The issuer, exactly as its tokens name it.
    pub issuer: String,
    /// Where people sign in.
    pub authorization_endpoint: String,
    /// Where a code is exchanged for tokens.
    pub token_endpoint: String,
    /// Where the keys are.
    pub jwks_uri: String,
    /// Where people sign out, if the issuer has such an address.
    pub end_session_endpoint: Option<String>,
    /// How a client may authenticate at the token endpoint. Absent means `client_secret_basic`.
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether responses of the authorization endpoint name the issuer (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

impl IssuerMetadata {
    /// Checks the address of an issuer by its form, without the network.
    ///
    /// # Errors
    /// When it is neither https nor on this machine.
    pub fn check_issuer(issuer: &str) -> Result<(), KeySourceError> {
        parse_url(DOCUMENT, &address(issuer)).map(drop)
    }

    /// Reads the document of an issuer.
    ///
    /// # Errors
    /// When it cannot be read, is not such a document, is about another issuer, or names an address that is neither
    /// https nor on this machine.
    pub async fn fetch(issuer: &str) -> Result<Self, KeySourceError> {
        let address = format!("{}{DOCUMENT_PATH}", address(issuer).trim_end_matches('/'));
        let body = fetch(DOCUMENT, parse_url(DOCUMENT, &address)?).await?;
        Self::parse(issuer, &body)
    }

    fn parse(issuer: &str, body: &[u8]) -> Result<Self, KeySourceError> {
        let metadata: Self = serde_json::from_slice(body).map_err(|error| {
            KeySourceError::new(format!(
                "The description of the issuer '{issuer}' is wrong: {error}"
            ))
        })?;
        // A document of another issuer would let that one sign in anybody (Discovery 1.0, section 4.3).
        if metadata.issuer != issuer {
            let found = &metadata.issuer;
            let message = format!(
                "The description of the issuer '{issuer}' names '{found}'; set the issuer exactly as it names itself"
            );
            return Err(KeySourceError::new(message));
        }
        parse_url("authorization endpoint", &metadata.authorization_endpoint)?;
        parse_url("token endpoint", &metadata.token_endpoint)?;
        parse_url("key set", &metadata.jwks_uri)?;
        if let Some(address) = &metadata.end_session_endpoint {
            parse_url("end session endpoint", address)?;
        }
        Ok(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::{IssuerMetadata, address};
    use crate::is_of_issuer;

    const ISSUER: &str = "https://issuer.example/tenant";

    fn document(changes: &[(&str, &str)]) -> Vec<u8> {
        let mut document = serde_json::json!({
            "issuer": ISSUER,
            "authorization_endpoint": "https://issuer.example/authorize",
            "token_endpoint": "https://issuer.example/token",
            "jwks_uri": "https://issuer.example/keys",
            "response_types_supported": ["code"],
        });
        for (name, value) in changes {
            document[name] = (*value).into();
        }
        serde_json::to_vec(&document).unwrap()
    }

    #[test]
    fn a_description_names_its_issuer_and_addresses_with_tls() {
        let metadata = IssuerMetadata::parse(ISSUER, &document(&[])).unwrap();
        assert_eq!(metadata.token_endpoint, "https://issuer.example/token");
        assert_eq!(metadata.end_session_endpoint, None);
        for (name, value) in [
            ("issuer", "https://issuer.example/tenant/"),
            ("issuer", "https://other.example"),
            ("authorization_endpoint", "http://issuer.example/authorize"),
            ("token_endpoint", "http://issuer.example/token"),
            ("jwks_uri", "file:///keys.json"),
            ("end_session_endpoint", "javascript:alert(1)"),
        ] {
            let error = IssuerMetadata::parse(ISSUER, &document(&[(name, value)])).unwrap_err();
            assert!(error.to_string().contains(value), "{error}");
        }
        assert!(IssuerMetadata::parse(ISSUER, b"{}").is_err());
        assert!(IssuerMetadata::check_issuer("http://issuer.example").is_err());
        assert!(IssuerMetadata::check_issuer("http://127.0.0.1:9").is_ok());
    }

    #[test]
    fn an_issuer_of_many_tenants_names_the_tenant_of_each_token() {
        let many = "https://issuer.example/{tenantid}/v2.0";
        let (one, other) =
            ("12345678-1234-1234-1234-123456789abc", "22345678-1234-1234-1234-123456789abc");
        let named = |tenant: &str| format!("https://issuer.example/{tenant}/v2.0");
        assert!(is_of_issuer(many, &named(one), Some(one)));
        assert!(is_of_issuer(many, &named(one), None));
        assert!(!is_of_issuer(many, &named(one), Some(other)));
        for wrong in
            ["organizations", "", "a/b", "{tenantid}", "12345678-1234-1234-1234-12345678/abc"]
        {
            assert!(!is_of_issuer(many, &named(wrong), None), "{wrong}");
            assert!(!is_of_issuer(many, &named(wrong), Some(wrong)), "{wrong}");
        }
        assert!(!is_of_issuer(many, &format!("https://evil.example/{one}/v2.0"), Some(one)));
        assert!(
            is_of_issuer(ISSUER, ISSUER, None) && !is_of_issuer(ISSUER, &named(one), Some(one))
        );
        assert_eq!(address(many), "https://issuer.example/organizations/v2.0");
        assert!(IssuerMetadata::check_issuer(many).is_ok());
    }
}
