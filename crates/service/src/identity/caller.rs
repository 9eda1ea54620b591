//! The authenticated caller of a request.
//!
//! Owns subject, roles and claims, and the extractors for routes: `Caller` requires authentication, `Option<Caller>`
//! also accepts anonymous requests. A subject is personal data: log [`Caller::log_name`] instead.

use std::fmt;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::request::Parts;
use ring::digest;
use serde_json::{Map, Value};

use super::authenticate::Authentication;
use super::session::Session;
use crate::problem::{HttpResult, Problem};

/// The authenticated caller of a request.
#[derive(Clone)]
pub struct Caller {
    inner: Arc<CallerInner>,
}

struct CallerInner {
    subject: String,
    roles: Vec<String>,
    claims: Map<String, Value>,
    session: Option<Session>,
}

impl Caller {
    /// A caller with a bearer token.
    pub(super) fn new(subject: String, roles: Vec<String>, claims: Map<String, Value>) -> Self {
        Self { inner: Arc::new(CallerInner { subject, roles, claims, session: None }) }
    }

    /// A caller with a session.
    pub(super) fn from_session(session: Session) -> Self {
        let (subject, roles) = (session.subject.clone(), session.roles.clone());
        let (claims, session) = (Map::new(), Some(session));
        Self { inner: Arc::new(CallerInner { subject, roles, claims, session }) }
    }

    pub(super) fn session(&self) -> Option<&Session> {
        self.inner.session.as_ref()
    }

    /// The claim `sub` of the token. Personal data: do not log it.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.inner.subject
    }

    /// What people call the caller, for display only. Personal data: do not log it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.inner.session.as_ref().and_then(|session| session.name.as_deref())
    }

    /// The roles of the caller.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        &self.inner.roles
    }

    /// Whether the caller has a role.
    #[must_use]
    pub fn has_role(&self, role: &str) -> bool {
        self.inner.roles.iter().any(|own| own == role)
    }

    /// Refuses callers without a role.
    ///
    /// # Errors
    /// 403 `role_missing`.
    pub fn require_role(&self, role: &str) -> HttpResult<()> {
        if self.has_role(role) {
            return Ok(());
        }
        Err(Problem::forbidden("role_missing", format!("This needs the role '{role}'.")))
    }

    /// A claim of the token. Sessions have no claims.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.inner.claims.get(name)
    }

    /// When the session or the token of the caller ends, in milliseconds since 1970.
    pub(super) fn ends_ms(&self) -> Option<u64> {
        match &self.inner.session {
            Some(session) => Some(session.ends_ms),
            // A token may have a fraction of a second here.
            None => {
                let seconds = self.claim("exp").and_then(Value::as_f64)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates"
                )]
                Some((seconds * 1000.0) as u64)
            }
        }
    }

    /// The id of the session, if the caller has one.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.inner.session.as_ref().map(|session| session.id.as_str())
    }

    /// A pseudonym for logs: the first bytes of a hash of the subject.
    #[must_use]
    pub fn log_name(&self) -> String {
        let digest = digest::digest(&digest::SHA256, self.inner.subject.as_bytes());
        // Six bytes tell callers apart in a log. They are a pseudonym, not a secret.
        digest.as_ref().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Prints the pseudonym.
impl fmt::Debug for Caller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Caller({})", self.log_name())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let caller =
            <Self as OptionalFromRequestParts<S>>::from_request_parts(parts, state).await?;
        caller.ok_or_else(|| {
            let detail = "Say who you are: authorization: Bearer <token>, or sign in.";
            Problem::unauthorized("unauthenticated", detail).header(WWW_AUTHENTICATE, "Bearer")
        })
    }
}

/// `None` for a request without credentials; invalid credentials are rejected.
impl<S: Send + Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        match parts.extensions.get::<Authentication>() {
            Some(Authentication::Authenticated(caller)) => Ok(Some(caller.clone())),
            Some(Authentication::Anonymous) => Ok(None),
            Some(Authentication::Rejected(problem)) => Err(problem.clone()),
            // A programming error must not make a route anonymous.
            None => Err(Problem::internal("the routes are outside of HttpServer::router")),
        }
    }
}
