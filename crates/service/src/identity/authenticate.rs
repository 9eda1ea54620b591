//! Authenticates a request by its headers.
//!
//! Owns the order: a bearer token first, then a session cookie. Does not refuse a request: a route that needs a caller
//! does, with the result of this module.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method};
use client::{Container, Environment};
use jwks::{KeyCache, TokenRules, TokenVerifier};

use super::admission::{AdmissionRule, AdmittedPerson, PersonAdmission};
use super::bearer::BearerVerifier;
use super::caller::Caller;
use super::caller_end::CallerEnd;
use super::cross_site;
use super::demo_issuer::DemoIssuer;
use super::oidc::{OidcFlow, SignedInPerson};
use super::revoked_sessions::RevokedSessions;
use super::session::{Session, SessionCookies};
use super::settings::{IdentityMode, IdentitySettings};
use super::sign_in_link::{SignIn, SignInLinks};
use super::signing_key::SigningKey;
use crate::problem::Problem;
use crate::settings::Secret;
use tokio::sync::watch;

/// Issuer and audience in demo mode, if the settings name none.
const DEMO_NAME: &str = "demo";

/// Authenticates callers and issues sessions. Clones share it.
#[derive(Clone, Debug)]
pub struct Identity {
    inner: Arc<IdentityInner>,
}

#[derive(Debug)]
struct IdentityInner {
    key: SigningKey,
    bearer: BearerVerifier,
    sessions: SessionCookies,
    revoked: RevokedSessions,
    environment: Environment,
    allowed_origins: Vec<String>,
    demo: Option<DemoMode>,
    oidc: Option<OidcFlow>,
    admission: OnceLock<AdmissionRule>,
}

#[derive(Debug)]
struct DemoMode {
    issuer: DemoIssuer,
    links: SignInLinks,
}

/// The result of authenticating a request.
#[derive(Clone, Debug)]
pub enum Authentication {
    /// The request carries no credentials.
    Anonymous,
    /// The credentials are valid.
    Authenticated(Caller),
    /// The credentials are invalid or not allowed here. Routes that need a caller respond with this problem.
    Rejected(Problem),
}

impl Identity {
    /// Creates it from validated settings.
    ///
    /// # Errors
    /// When the settings name no valid source of keys.
    pub fn new(environment: Environment, settings: &IdentitySettings) -> Result<Self, String> {
        let key = SigningKey::from_secret_or_random(&settings.secret);
        let is_demo = settings.mode == IdentityMode::Demo;
        let named = |text: &str| if text.is_empty() { DEMO_NAME } else { text }.to_owned();
        let (issuer, audience) = (named(&settings.issuer), named(&settings.audience));
        let demo_secret = if is_demo { settings.demo_secret.clone() } else { Secret::default() };
        let secret =
            // Derived for this purpose, so the secret itself never signs a token.
            SigningKey::from_secret_or_random(&demo_secret).sign(&[b"demo issuer"]);
        let demo = is_demo.then(|| DemoMode {
            issuer: DemoIssuer::new(environment.clone(), &secret, &issuer, &audience),
            links: SignInLinks::new(environment.clone(), &key),
        });
        let rules = TokenRules {
            requires_key_id: false,
            expiry_leeway_seconds: settings.skew_seconds,
            start_leeway_seconds: settings.skew_seconds,
            ..TokenRules::new(&issuer, vec![audience])
        };
        let verifier = match settings.mode {
            // With sessions only, nobody has the secret, so no token is accepted.
            IdentityMode::Demo | IdentityMode::Session => {
                TokenVerifier::shared_secret(&secret, rules)
            }
            IdentityMode::Jwt => {
                let source = settings.key_source().map_err(|error| error.to_string())?;
                TokenVerifier::published(KeyCache::new(source), rules)
            }
        };
        let roles_claim = settings.roles_claim.clone();
        let bearer = BearerVerifier { environment: environment.clone(), verifier, roles_claim };
        // Demonstrations run without TLS, where browsers drop secure cookies.
        let is_secure = settings.secure_cookies && !is_demo;
        let lives = (settings.session_minutes, settings.session_max_minutes);
        let sessions = SessionCookies::new(environment.clone(), &key, lives, is_secure);
        let revoked = RevokedSessions::new(environment.clone());
        let allowed_origins = settings.allowed_origins.clone();
        let oidc = OidcFlow::new(&environment, &key, settings);
        let inner = IdentityInner {
            key,
            bearer,
            sessions,
            revoked,
            environment,
            allowed_origins,
            demo,
            oidc,
            admission: OnceLock::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The key of the service. Derive one per purpose from it.
    #[must_use]
    pub fn signing_key(&self) -> &SigningKey {
        &self.inner.key
    }

    /// The token issuer of demo mode.
    #[must_use]
    pub fn demo_issuer(&self) -> Option<&DemoIssuer> {
        self.inner.demo.as_ref().map(|demo| &demo.issuer)
    }

    /// The path and query of a link that signs somebody in once, in demo mode; [`crate::identity::session_routes`]
    /// serves it.
    #[must_use]
    pub fn sign_in_link(&self, subject: &str, roles: &[&str]) -> Option<String> {
        let link = self.inner.demo.as_ref()?.links.create(subject, roles);
        Some(format!("/session/sign-in?link={link}"))
    }

    /// Refuses a request that a page of another site sends: for services that let callers act without credentials,
    /// whose requests any page could send.
    ///
    /// # Errors
    /// 403 `foreign_origin`.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        cross_site::check_origin(headers, &self.inner.allowed_origins)
    }

    /// Authenticates a request.
    pub async fn identify(&self, method: &Method, headers: &HeaderMap) -> Authentication {
        let mut lines = headers.get_all(AUTHORIZATION).into_iter();
        match (lines.next(), lines.next()) {
            (Some(line), None) => match bearer_token(line) {
                Some(token) => match self.inner.bearer.authenticate(token).await {
                    Ok(caller) => Authentication::Authenticated(caller),
                    Err(problem) => Authentication::Rejected(problem),
                },
                None => rejected("only 'authorization: Bearer <token>' is understood"),
            },
            // Proxies and servers disagree on which of two counts, so neither does.
            (Some(_), Some(_)) => rejected("there are two headers 'authorization'"),
            (None, _) => self.by_session(method, headers).await,
        }
    }

    async fn by_session(&self, method: &Method, headers: &HeaderMap) -> Authentication {
        let IdentityInner { sessions, revoked, allowed_origins, .. } = &*self.inner;
        let Some(session) = sessions.open(headers) else { return Authentication::Anonymous };
        match revoked.contains(&session.id).await {
            Ok(false) => {}
            Ok(true) => return Authentication::Anonymous,
            // Unknown is not valid: a stolen cookie must not work because the list cannot be read.
            Err(error) => return Authentication::Rejected(error.into()),
        }
        match cross_site::check(method, headers, sessions, &session, allowed_origins) {
            Err(problem) => Authentication::Rejected(problem),
            Ok(()) => Authentication::Authenticated(Caller::from_session(session)),
        }
    }

    /// Waits for the end of the credentials of a request: for connections that outlast it.
    #[must_use]
    pub fn caller_end(&self, authentication: &Authentication) -> CallerEnd {
        let caller = match authentication {
            Authentication::Authenticated(caller) => Some(caller.clone()),
            Authentication::Anonymous | Authentication::Rejected(_) => None,
        };
        CallerEnd::new(self.clone(), caller)
    }

    /// The cookies that extend a session, once half of its lifetime has passed.
    pub(crate) fn renewed_cookies(&self, authentication: &Authentication) -> Vec<HeaderValue> {
        let Authentication::Authenticated(caller) = authentication else { return Vec::new() };
        let renewed = caller.session().and_then(|session| self.inner.sessions.renewed(session));
        renewed.map(|session| self.inner.sessions.cookies(&session)).unwrap_or_default()
    }

    /// Starts a session and returns the cookies to set.
    #[must_use]
    pub fn start_session(&self, subject: &str, roles: &[String]) -> Vec<HeaderValue> {
        let sessions = &self.inner.sessions;
        sessions.cookies(&sessions.start(subject, roles.to_vec()))
    }

    /// Starts a session for a person that signed in at the issuer, and returns the cookies to set.
    pub(super) fn start_federated_session(&self, person: SignedInPerson) -> Vec<HeaderValue> {
        let sessions = &self.inner.sessions;
        let SignedInPerson { subject, roles, name, .. } = person;
        let session = sessions.start(&subject, roles);
        sessions.cookies(&Session { name, is_federated: true, ..session })
    }

    /// Lets the service decide who of the issuer's people gets a session, and as whom. Later calls have no effect.
    pub fn admit_by(&self, admission: Arc<dyn PersonAdmission>) {
        let _ = self.inner.admission.set(AdmissionRule(admission));
    }

    /// The person as the service knows it, or why it is refused. Without a rule everybody is admitted.
    pub(super) async fn admit(&self, person: SignedInPerson) -> Result<SignedInPerson, String> {
        let Some(AdmissionRule(rule)) = self.inner.admission.get() else { return Ok(person) };
        let AdmittedPerson { subject, roles } = rule.admit(&person.claims).await?;
        Ok(SignedInPerson { subject, roles, ..person })
    }

    /// The sign-in at the issuer, if the settings name a client.
    pub(super) fn oidc(&self) -> Option<&OidcFlow> {
        self.inner.oidc.as_ref()
    }

    /// Where a caller signs out of the issuer too; `None` if its session did not begin there.
    pub(super) async fn end_session_url(&self, caller: &Caller, host: &str) -> Option<String> {
        let is_federated = caller.session().is_some_and(|session| session.is_federated);
        self.oidc().filter(|_| is_federated)?.end_session_url(host).await
    }

    /// Starts a session for a caller with a bearer token. Returns the caller of the session and the cookies to set.
    ///
    /// # Errors
    /// 401 `token_needed` when the caller has a session already, 403 `foreign_origin` for a page of another site.
    pub(super) fn exchange(
        &self,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Result<(Caller, Vec<HeaderValue>), Problem> {
        // Also with a bearer token: otherwise another site could sign a visitor in with a token of its own.
        cross_site::check_origin(headers, &self.inner.allowed_origins)?;
        if caller.session().is_some() {
            let detail = "A session begins with a token: send authorization: Bearer <token>.";
            let problem = Problem::unauthorized("token_needed", detail);
            return Err(problem.header(WWW_AUTHENTICATE, "Bearer"));
        }
        let sessions = &self.inner.sessions;
        let session = sessions.start(caller.subject(), caller.roles().to_vec());
        let cookies = sessions.cookies(&session);
        Ok((Caller::from_session(session), cookies))
    }

    /// Keeps ended sessions in a container from now on, so that they stay ended after a restart and in other instances
    /// of the service. The container's partition key is `/id`, and its items can have a time to live. Without one they
    /// are kept in the memory of this process, which is enough while [`IdentitySettings::secret`] is not set.
    pub fn store_ended_sessions(&self, container: Container) {
        self.inner.revoked.store_in(container);
    }

    /// Ends the session of a caller, also for copies of its cookie, and returns the cookies that delete it in the
    /// browser. A bearer token is not ended: only its issuer can do that.
    ///
    /// # Errors
    /// Those of the container with the ended sessions.
    pub async fn end_session(&self, caller: &Caller) -> client::Result<Vec<HeaderValue>> {
        if let Some(session) = caller.session() {
            // A copy of the cookie may have been renewed, so the latest end counts.
            let ends_ms = self.inner.sessions.latest_end_ms(session);
            self.inner.revoked.revoke(&session.id, ends_ms).await?;
        }
        Ok(self.inner.sessions.expired_cookies())
    }

    /// The name of the cookie of a session.
    pub(crate) fn session_cookie_name(&self) -> &'static str {
        self.inner.sessions.name()
    }

    pub(super) fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    pub(super) fn session_ends(&self) -> watch::Receiver<u64> {
        self.inner.revoked.ends()
    }

    /// Whether the credentials of a caller have ended since it was authenticated.
    pub(super) async fn check_ended(&self, caller: &Caller) -> bool {
        let is_over = self.time_left(caller).is_some_and(|left| left.is_zero());
        let is_revoked = match caller.session_id() {
            Some(id) => self.inner.revoked.contains(id).await.unwrap_or(true),
            None => false,
        };
        is_over || is_revoked
    }

    /// The time until the credentials of a caller end; `None` if they have no end.
    pub(super) fn time_left(&self, caller: &Caller) -> Option<Duration> {
        let now_ms = self.inner.environment.now().0;
        caller.ends_ms().map(|ends_ms| Duration::from_millis(ends_ms.saturating_sub(now_ms)))
    }

    /// The CSRF token that pages must send with every request that changes something.
    #[must_use]
    pub fn csrf_token(&self, caller: &Caller) -> Option<String> {
        caller.session_id().map(|id| self.inner.sessions.csrf_token(id))
    }

    pub(super) fn redeem(&self, link: &str) -> Option<SignIn> {
        self.inner.demo.as_ref()?.links.redeem(link)
    }
}

fn rejected(why: &str) -> Authentication {
    let detail = format!("The credentials are not accepted: {why}.");
    let problem = Problem::unauthorized("invalid_credentials", detail);
    Authentication::Rejected(problem.header(WWW_AUTHENTICATE, "Bearer error=\"invalid_request\""))
}

fn bearer_token(line: &HeaderValue) -> Option<&str> {
    let (scheme, token) = line.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
