//! Whose call it is: the trait and its four implementations.
//!
//! Owns where the tenant of a call comes from. Does not verify tokens (`service::identity`): the claims of a request
//! are those of a token that was verified.

use std::fmt;

use serde_json::Value;
use service::identity::Caller;

use super::{ServiceId, ServiceIdError};

/// The claim that names the tenant, unless another is configured.
pub const DEFAULT_CLAIM: &str = "service_id";

/// Says whose call it is. It is asked for each call, and its answer is not kept.
pub trait ServiceIdProvider: Send + Sync + fmt::Debug {
    /// The tenant of this call.
    ///
    /// # Errors
    /// Why there is none. Nothing falls back to the default tenant.
    fn current(&self) -> Result<ServiceId, ServiceIdError>;
}

/// Always `default`: for programs with one tenant.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultServiceIdProvider;

/// Always the same tenant: for actors.
#[derive(Clone, Debug)]
pub struct FixedServiceIdProvider(ServiceId);

/// The tenant that the verified token of a request names.
#[derive(Clone, Debug)]
pub struct JwtServiceIdProvider {
    claim: String,
    request: Option<RequestClaims>,
}

/// Always an error: for code outside of requests, where a tenant has to be named.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequiredServiceIdProvider;

/// The claims of one request's verified token.
#[derive(Clone)]
pub struct RequestClaims(ClaimSource);

#[derive(Clone)]
enum ClaimSource {
    Caller(Caller),
    Claims(serde_json::Map<String, Value>),
}

impl RequestClaims {
    /// The claims of an authenticated caller.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        Self(ClaimSource::Caller(caller.clone()))
    }

    /// Claims that somebody else verified.
    #[must_use]
    pub fn verified(claims: serde_json::Map<String, Value>) -> Self {
        Self(ClaimSource::Claims(claims))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        match &self.0 {
            ClaimSource::Caller(caller) => caller.claim(name),
            ClaimSource::Claims(claims) => claims.get(name),
        }
    }
}

/// Claims are personal data.
impl fmt::Debug for RequestClaims {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RequestClaims")
    }
}

impl FixedServiceIdProvider {
    /// A provider of this tenant.
    ///
    /// # Errors
    /// The rule that the text breaks.
    pub fn new(service_id: &str) -> Result<Self, ServiceIdError> {
        ServiceId::parse(service_id).map(Self)
    }
}

impl From<ServiceId> for FixedServiceIdProvider {
    fn from(service: ServiceId) -> Self {
        Self(service)
    }
}

impl JwtServiceIdProvider {
    /// Reads this claim of a request; `None` outside of a request.
    #[must_use]
    pub fn new(claim: &str, request: Option<RequestClaims>) -> Self {
        Self { claim: claim.to_owned(), request }
    }
}

impl ServiceIdProvider for DefaultServiceIdProvider {
    fn current(&self) -> Result<ServiceId, ServiceIdError> {
        Ok(ServiceId::default_tenant())
    }
}

impl ServiceIdProvider for FixedServiceIdProvider {
    fn current(&self) -> Result<ServiceId, ServiceIdError> {
        Ok(self.0.clone())
    }
}

impl ServiceIdProvider for RequiredServiceIdProvider {
    fn current(&self) -> Result<ServiceId, ServiceIdError> {
        Err(ServiceIdError::Required)
    }
}

impl ServiceIdProvider for JwtServiceIdProvider {
    fn current(&self) -> Result<ServiceId, ServiceIdError> {
        let claim = self.claim.clone();
        let request = self.request.as_ref().ok_or(ServiceIdError::NoRequest)?;
        match request.get(&claim) {
            None | Some(Value::Null) => Err(ServiceIdError::ClaimMissing { claim }),
            Some(Value::String(text)) if text.is_empty() => {
                Err(ServiceIdError::ClaimEmpty { claim })
            }
            Some(Value::String(text)) => ServiceId::parse(text)
                .map_err(|reason| ServiceIdError::ClaimInvalid { claim, reason: Box::new(reason) }),
            Some(_) => Err(ServiceIdError::ClaimNoText { claim }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of_claims(claims: &Value) -> Result<ServiceId, ServiceIdError> {
        let claims = claims.as_object().unwrap().clone();
        JwtServiceIdProvider::new("service_id", Some(RequestClaims::verified(claims))).current()
    }

    #[test]
    fn a_token_names_the_tenant_or_one_of_four_errors_says_why_not() {
        assert_eq!(of_claims(&json!({ "service_id": "Alpha" })).unwrap().as_str(), "alpha");
        let claim = || "service_id".to_owned();
        let missing = ServiceIdError::ClaimMissing { claim: claim() };
        assert_eq!(of_claims(&json!({})), Err(missing));
        let empty = ServiceIdError::ClaimEmpty { claim: claim() };
        assert_eq!(of_claims(&json!({ "service_id": "" })), Err(empty));
        let invalid = of_claims(&json!({ "service_id": "Bad Id" })).unwrap_err();
        assert_eq!(invalid.code(), "service_id_invalid");
        let outside = JwtServiceIdProvider::new("service_id", None).current();
        assert_eq!(outside, Err(ServiceIdError::NoRequest));
        let number = of_claims(&json!({ "service_id": 7 }));
        assert_eq!(number, Err(ServiceIdError::ClaimNoText { claim: claim() }));
    }

    #[test]
    fn the_claim_is_configurable() {
        let claims = json!({ "tenant": "beta" }).as_object().unwrap().clone();
        let provider = JwtServiceIdProvider::new("tenant", Some(RequestClaims::verified(claims)));
        assert_eq!(provider.current().unwrap().as_str(), "beta");
    }

    #[test]
    fn the_others_return_what_they_were_made_for() {
        assert_eq!(DefaultServiceIdProvider.current().unwrap().as_str(), DEFAULT);
        let fixed = FixedServiceIdProvider::new("Acme").unwrap();
        assert_eq!(fixed.current().unwrap().as_str(), "acme");
        assert!(FixedServiceIdProvider::new("a b").is_err());
        assert_eq!(RequiredServiceIdProvider.current(), Err(ServiceIdError::Required));
    }

    const DEFAULT: &str = crate::service_id::DEFAULT_SERVICE_ID;
}
