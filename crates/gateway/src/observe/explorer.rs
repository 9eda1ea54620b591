//! The explorer page at `/_explorer/index.html`: the endpoint of the server and how to connect.
//!
//! Owns the page. It shows the account key only if it is the well-known one of the emulators. It has no scripts and
//! loads nothing.

use hyper::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use hyper::{Method, StatusCode};

use crate::gateway::Gateway;
use crate::http::ApiResponse;
use crate::route::RequestPath;

/// Checks whether a request is for the page and the page is enabled.
pub(crate) fn matches_explorer(gateway: &Gateway, method: &Method, path: &RequestPath<'_>) -> bool {
    let is_page = path.raw == "_explorer/index.html" || path.raw == "_explorer";
    is_page && (method == Method::GET || method == Method::HEAD) && gateway.settings().explorer
}

/// Renders the page. `origin` is the endpoint that the browser used.
pub(crate) fn explorer_page(gateway: &Gateway, origin: &str) -> ApiResponse {
    let endpoint = gateway.settings().public_endpoint.as_deref().unwrap_or(origin);
    let endpoint = format!("{}/", escape_html(endpoint.trim_end_matches('/')));
    // The page needs no signature, so a secret key must never appear on it.
    let key = match gateway.settings().key.is_well_known() {
        true => escape_html(gateway.settings().key.text()),
        false => "&lt;the key it was started with&gt;".to_owned(),
    };
    let certificate = match gateway.certificate() {
        Some(_) => r#"<li><a href="/_explorer/emulator.pem">certificate</a></li>"#,
        None => "",
    };
    let version = env!("CARGO_PKG_VERSION");
    let text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Planisphere</title></head><body>\n\
         <h1>Planisphere {version}</h1>\n\
         <p>The REST API is served here. Connect with any client library of the service, in gateway mode.</p>\n\
         <dl><dt>Address</dt><dd><code>{endpoint}</code></dd>\n\
         <dt>Account key</dt><dd><code>{key}</code></dd>\n\
         <dt>Connection string</dt><dd><code>AccountEndpoint={endpoint};AccountKey={key};</code></dd></dl>\n\
         <ul><li><a href=\"/status\">status</a></li><li><a href=\"/metrics\">metrics</a></li>{certificate}</ul>\n\
         </body></html>\n"
    );
    ApiResponse::text(StatusCode::OK, "text/html; charset=utf-8", text)
        .with_static(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'")
        .with_static(X_CONTENT_TYPE_OPTIONS, "nosniff")
}

/// Escapes text for HTML. The `host` header of a request appears in the page.
fn escape_html(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            other => page.push(other),
        }
    }
    page
}
