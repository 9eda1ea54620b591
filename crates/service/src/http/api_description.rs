//! The OpenAPI document of a service: title, version, security schemes and the descriptions of responses.
//!
//! Owns what the declarations at the routes do not say, or leave to the library that collects them. Does not own the
//! routes; a test of each system compares them with the document.

use std::collections::BTreeMap;

use utoipa::openapi::path::{HttpMethod, Operation, PathItem};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Info, OpenApi, RefOr};

const BEARER: &str = "bearer";
const SESSION: &str = "session";
const CSRF: &str = "csrf";
/// The title of a service that has not described itself.
pub(super) const KIT_TITLE: &str = "Planisphere service";

/// What a service says about its interface in its OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiDescription {
    /// The name of the service.
    pub title: String,
    /// The version of the service.
    pub version: String,
    /// What it does, in a sentence or two.
    pub description: String,
}

impl ApiDescription {
    /// Describes a service.
    #[must_use]
    pub fn new(title: &str, version: &str, description: &str) -> Self {
        let [title, version, description] = [title, version, description].map(str::to_owned);
        Self { title, version, description }
    }

    /// The document as JSON.
    pub(super) fn document_text(&self, mut document: OpenApi, session_cookie: &str) -> String {
        // Replaced as a whole: authors, licence and contact of the collected document are those of a library.
        let mut info = Info::new(&self.title, &self.version);
        info.description = Some(self.description.clone());
        document.info = info;
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some("A token of the configured issuer."))
            .build();
        let cookie = "The cookie of a browser session; see POST /session.";
        let cookie = ApiKeyValue::with_description(session_cookie, cookie);
        let token = "The CSRF token of the session, which requests that change something need.";
        let token = ApiKeyValue::with_description("x-csrf-token", token);
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(BEARER, SecurityScheme::Http(bearer));
        components.add_security_scheme(SESSION, SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        components.add_security_scheme(CSRF, SecurityScheme::ApiKey(ApiKey::Header(token)));
        for item in document.paths.paths.values_mut() {
            for (method, operation) in operations(item) {
                describe(&method, operation);
            }
        }
        document.to_json().unwrap_or_default()
    }
}

impl Default for ApiDescription {
    fn default() -> Self {
        Self::new(KIT_TITLE, env!("CARGO_PKG_VERSION"), "A service on the Planisphere service kit.")
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (HttpMethod, &mut Operation)> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    let all = [
        (HttpMethod::Get, get),
        (HttpMethod::Put, put),
        (HttpMethod::Post, post),
        (HttpMethod::Delete, delete),
        (HttpMethod::Options, options),
        (HttpMethod::Head, head),
        (HttpMethod::Patch, patch),
        (HttpMethod::Trace, trace),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn describe(method: &HttpMethod, operation: &mut Operation) {
    // A route that needs no caller says so itself, by an empty requirement.
    if operation.security.is_none() {
        let no_scopes = || [""; 0];
        let bearer = SecurityRequirement::new(BEARER, no_scopes());
        let mut session = SecurityRequirement::new(SESSION, no_scopes());
        if !matches!(method, HttpMethod::Get | HttpMethod::Head | HttpMethod::Options) {
            session = session.add(CSRF, no_scopes());
        }
        operation.security = Some(vec![bearer, session]);
    }
    let summary = operation.summary.clone();
    let responses: &mut BTreeMap<_, _> = &mut operation.responses.responses;
    for (status, response) in responses {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            response.description = response_description(status, summary.as_deref());
        }
    }
}

/// What a response means: for a success what the operation does, for an error what the caller can do.
fn response_description(status: &str, summary: Option<&str>) -> String {
    let text = match status {
        "200" | "202" | "204" => return format!("Success. {}", summary.unwrap_or_default()),
        "201" => return format!("Created. {}", summary.unwrap_or_default()),
        "303" => "The result is at another address; see the header location.",
        "304" => "Nothing has changed since the given entity tag.",
        "400" => "The request is not valid; `errors` names each wrong field.",
        "401" => "There are no valid credentials: send a bearer token, or sign in.",
        "403" => "The caller may not do this.",
        "404" => "There is no such thing, or it belongs to somebody else.",
        "409" => "It conflicts with what is stored; read it again.",
        "412" => "It was changed meanwhile; read it again.",
        "413" => "The body is too large.",
        "422" => "The request is understood and cannot be done as it is.",
        "428" => "The header if-match is missing.",
        "429" => "Too many requests; wait as long as the header retry-after says.",
        "503" => "The service cannot do this now; wait as long as the header retry-after says.",
        _ => "A problem document says more.",
    };
    text.to_owned()
}
