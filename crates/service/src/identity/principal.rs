//! The caller, once it is known who that is.
//!
//! Owns the subject, roles and claims, and the extractors for routes: `Principal` requires one, `Option<Principal>`
//! takes callers nobody knows. A subject is personal: logs get [`Principal::log_name`].

use std::fmt;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::request::Parts;
use ring::digest;
use serde_json::{Map, Value};

use super::identify::Identified;
use super::session::Session;
use crate::http::{Outcome, Problem};

/// The caller of a request.
#[derive(Clone)]
pub struct Principal {
    inner: Arc<Inner>,
}

struct Inner {
    subject: String,
    roles: Vec<String>,
    claims: Map<String, Value>,
    session: Option<Session>,
}

impl Principal {
    /// A caller by a bearer token.
    pub(crate) fn new(subject: String, roles: Vec<String>, claims: Map<String, Value>) -> Self {
        Self { inner: Arc::new(Inner { subject, roles, claims, session: None }) }
    }

    /// A caller by a session.
    pub(crate) fn of_session(session: Session) -> Self {
        let (subject, roles) = (session.subject.clone(), session.roles.clone());
        let (claims, session) = (Map::new(), Some(session));
        Self { inner: Arc::new(Inner { subject, roles, claims, session }) }
    }

    pub(crate) fn session(&self) -> Option<&Session> {
        self.inner.session.as_ref()
    }

    /// Who it is: `sub` of the token. Personal; not for logs.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.inner.subject
    }

    /// What it may be.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        &self.inner.roles
    }

    /// Whether it has a role.
    #[must_use]
    pub fn has_role(&self, role: &str) -> bool {
        self.inner.roles.iter().any(|own| own == role)
    }

    /// Refuses callers without a role.
    ///
    /// # Errors
    /// 403 `role_missing`.
    pub fn require_role(&self, role: &str) -> Outcome<()> {
        if self.has_role(role) {
            return Ok(());
        }
        Err(Problem::forbidden("role_missing", format!("This needs the role '{role}'.")))
    }

    /// A claim of the token; a session has none.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.inner.claims.get(name)
    }

    /// The id of the session, for callers that have one; a system can keep a list of those it has ended.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.inner.session.as_ref().map(|session| session.id.as_str())
    }

    /// A name for logs that says nothing about the person: the beginning of a hash.
    #[must_use]
    pub fn log_name(&self) -> String {
        let digest = digest::digest(&digest::SHA256, self.inner.subject.as_bytes());
        digest.as_ref().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// By its name for logs.
impl fmt::Debug for Principal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Principal({})", self.log_name())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Principal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = <Self as OptionalFromRequestParts<S>>::from_request_parts(parts, state).await?;
        found.ok_or_else(|| {
            let detail = "Say who you are: authorization: Bearer <token>, or sign in.";
            Problem::unauthorized("unauthenticated", detail).header(WWW_AUTHENTICATE, "Bearer")
        })
    }
}

/// None for a caller that says nothing; who says something wrong is refused.
impl<S: Send + Sync> OptionalFromRequestParts<S> for Principal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        match parts.extensions.get::<Identified>() {
            Some(Identified::Somebody(principal)) => Ok(Some(principal.clone())),
            Some(Identified::Nobody) => Ok(None),
            Some(Identified::Refused(problem)) => Err(problem.clone()),
            None => Err(Problem::internal("the routes are not wrapped by the kit")),
        }
    }
}
