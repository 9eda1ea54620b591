//! Who of an issuer's people gets a session, and as whom.
//!
//! Owns the trait by which a service decides. Without a rule everybody is admitted, under the claim `sub`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

/// Decides by the verified claims of an ID token.
#[async_trait]
pub trait PersonAdmission: Send + Sync {
    /// The person as the service knows it.
    ///
    /// # Errors
    /// Why the person is refused, for the log: the page learns only that access is denied.
    async fn admit(&self, claims: &Map<String, Value>) -> Result<AdmittedPerson, String>;
}

/// A person that gets a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmittedPerson {
    /// Who it is for the service.
    pub subject: String,
    /// The roles of the session.
    pub roles: Vec<String>,
}

/// The rule of a service.
pub(super) struct AdmissionRule(pub(super) Arc<dyn PersonAdmission>);

impl fmt::Debug for AdmissionRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AdmissionRule")
    }
}
