//! From the headers of a request to who is calling.
//!
//! Owns the order: a bearer token first, then a session. Does not refuse anybody by itself: a route that needs a caller
//! does, with what is found here.

use std::sync::Arc;

use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method};
use client::Environment;
use jwks::{KeyCache, KeySource, TokenRules, TokenVerifier};

use super::bearer::Bearer;
use super::cross_site;
use super::demo_issuer::DemoIssuer;
use super::principal::Principal;
use super::session::Sessions;
use super::settings::{IdentityMode, IdentitySettings};
use super::sign_in_link::{SignIn, SignInLinks};
use super::signing_key::SigningKey;
use crate::http::Problem;

/// Who demo mode is, where the settings name nobody.
const DEMO_NAME: &str = "demo";

/// What is known about callers, and how. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Identity {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    key: SigningKey,
    bearer: Bearer,
    sessions: Sessions,
    allowed_origins: Vec<String>,
    demo: Option<Demo>,
}

#[derive(Debug)]
struct Demo {
    issuer: DemoIssuer,
    links: SignInLinks,
}

/// Who is calling, as far as the request says.
#[derive(Clone, Debug)]
pub enum Identified {
    /// The request says nothing.
    Nobody,
    /// It is proven.
    Somebody(Principal),
    /// What it says is not true, or not allowed; routes that need a caller answer this.
    Refused(Problem),
}

impl Identity {
    /// Identity by settings that were checked.
    ///
    /// # Errors
    /// When the settings name no place for keys.
    pub fn new(environment: Environment, settings: &IdentitySettings) -> Result<Self, String> {
        let key = SigningKey::from_secret_or_random(&settings.secret);
        let is_demo = settings.mode == IdentityMode::Demo;
        let named = |text: &str| if text.is_empty() { DEMO_NAME } else { text }.to_owned();
        let (issuer, audience) = (named(&settings.issuer), named(&settings.audience));
        let secret =
            SigningKey::from_secret_or_random(&settings.demo_secret).sign(&[b"demo issuer"]);
        let demo = is_demo.then(|| Demo {
            issuer: DemoIssuer::new(environment.clone(), &secret, &issuer, &audience),
            links: SignInLinks::new(environment.clone(), &key),
        });
        let rules = TokenRules {
            requires_key_id: false,
            expiry_leeway_seconds: settings.skew_seconds,
            start_leeway_seconds: settings.skew_seconds,
            ..TokenRules::new(&issuer, vec![audience])
        };
        let verifier = if is_demo {
            TokenVerifier::shared_secret(&secret, rules)
        } else {
            let source = KeySource::parse(&settings.jwks).map_err(|error| error.to_string())?;
            TokenVerifier::published(KeyCache::new(source), rules)
        };
        let roles_claim = settings.roles_claim.clone();
        let bearer = Bearer { environment: environment.clone(), verifier, roles_claim };
        let is_secure = settings.secure_cookies && !is_demo;
        let sessions = Sessions::new(environment, &key, settings.session_minutes, is_secure);
        let allowed_origins = settings.allowed_origins.clone();
        Ok(Self { inner: Arc::new(Inner { key, bearer, sessions, allowed_origins, demo }) })
    }

    /// The key of the service, from which others are derived by purpose.
    #[must_use]
    pub fn signing_key(&self) -> &SigningKey {
        &self.inner.key
    }

    /// Makes tokens, in demo mode.
    #[must_use]
    pub fn demo_issuer(&self) -> Option<&DemoIssuer> {
        self.inner.demo.as_ref().map(|demo| &demo.issuer)
    }

    /// The path and query of a link that signs somebody in once, in demo mode; see [`crate::identity::session_routes`].
    #[must_use]
    pub fn sign_in_link(&self, subject: &str, roles: &[&str]) -> Option<String> {
        let link = self.inner.demo.as_ref()?.links.create(subject, roles);
        Some(format!("/session/sign-in?link={link}"))
    }

    /// Who is calling.
    pub async fn identify(&self, method: &Method, headers: &HeaderMap) -> Identified {
        let mut lines = headers.get_all(AUTHORIZATION).into_iter();
        match (lines.next(), lines.next()) {
            (Some(line), None) => match bearer_token(line) {
                Some(token) => match self.inner.bearer.authenticate(token).await {
                    Ok(principal) => Identified::Somebody(principal),
                    Err(problem) => Identified::Refused(problem),
                },
                None => refused("only 'authorization: Bearer <token>' is understood"),
            },
            (Some(_), Some(_)) => refused("there are two headers 'authorization'"),
            (None, _) => self.by_session(method, headers),
        }
    }

    fn by_session(&self, method: &Method, headers: &HeaderMap) -> Identified {
        let Inner { sessions, allowed_origins, .. } = &*self.inner;
        let Some(session) = sessions.open(headers) else { return Identified::Nobody };
        match cross_site::check(method, headers, sessions, &session, allowed_origins) {
            Err(problem) => Identified::Refused(problem),
            Ok(()) => Identified::Somebody(Principal::of_session(session)),
        }
    }

    /// The cookies of a session that goes on, if it is time for new ones.
    pub(crate) fn renewed(&self, identified: &Identified) -> Vec<HeaderValue> {
        let Identified::Somebody(principal) = identified else { return Vec::new() };
        let renewed = principal.session().and_then(|session| self.inner.sessions.renewed(session));
        renewed.map(|session| self.inner.sessions.cookies(&session)).unwrap_or_default()
    }

    /// Begins a session: the cookies to set.
    #[must_use]
    pub fn start_session(&self, subject: &str, roles: &[String]) -> Vec<HeaderValue> {
        let sessions = &self.inner.sessions;
        sessions.cookies(&sessions.start(subject, roles.to_vec()))
    }

    /// Begins a session of a caller who came with a token: who it is from now on, and the cookies to set.
    ///
    /// # Errors
    /// 401 `token_needed` when it came with a session, 403 `foreign_origin` when the page is not ours.
    pub(crate) fn exchange(
        &self,
        caller: &Principal,
        headers: &HeaderMap,
    ) -> Result<(Principal, Vec<HeaderValue>), Problem> {
        cross_site::check_origin(headers, &self.inner.allowed_origins)?;
        if caller.session().is_some() {
            let detail = "A session begins with a token: send authorization: Bearer <token>.";
            let problem = Problem::unauthorized("token_needed", detail);
            return Err(problem.header(WWW_AUTHENTICATE, "Bearer"));
        }
        let sessions = &self.inner.sessions;
        let session = sessions.start(caller.subject(), caller.roles().to_vec());
        let cookies = sessions.cookies(&session);
        Ok((Principal::of_session(session), cookies))
    }

    /// Ends a session in the browser: the cookies to set.
    #[must_use]
    pub fn end_session(&self) -> Vec<HeaderValue> {
        self.inner.sessions.ending()
    }

    /// What pages send with changing requests.
    #[must_use]
    pub fn csrf_token(&self, principal: &Principal) -> Option<String> {
        principal.session_id().map(|id| self.inner.sessions.token(id))
    }

    pub(crate) fn redeem(&self, link: &str) -> Option<SignIn> {
        self.inner.demo.as_ref()?.links.redeem(link)
    }
}

fn refused(why: &str) -> Identified {
    let detail = format!("The credentials are not accepted: {why}.");
    let problem = Problem::unauthorized("invalid_credentials", detail);
    Identified::Refused(problem.header(WWW_AUTHENTICATE, "Bearer error=\"invalid_request\""))
}

fn bearer_token(line: &HeaderValue) -> Option<&str> {
    let (scheme, token) = line.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
