//! The page that people and scripts look for at `/_explorer/index.html`: where the server is and how to connect.
//!
//! Owns the page. It never shows a key, unless it is the one everybody knows; it runs no script and loads nothing.

use hyper::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use hyper::{Method, StatusCode};

use crate::exchange::Reply;
use crate::gateway::Gateway;
use crate::route::Path;

/// Whether a path is the one of the page.
pub(crate) fn is_page(gateway: &Gateway, method: &Method, path: &Path) -> bool {
    let is_ours = path.raw == "_explorer/index.html" || path.raw == "_explorer";
    is_ours && (method == Method::GET || method == Method::HEAD) && gateway.settings().explorer
}

/// The page, with the address under which it was asked for.
pub(crate) fn page(gateway: &Gateway, origin: &str) -> Reply {
    let endpoint = gateway.settings().public_endpoint.as_deref().unwrap_or(origin);
    let endpoint = format!("{}/", escaped(endpoint.trim_end_matches('/')));
    let key = match gateway.settings().key.is_well_known() {
        true => escaped(gateway.settings().key.text()),
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
    Reply::text(StatusCode::OK, "text/html; charset=utf-8", text)
        .with_static(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'")
        .with_static(X_CONTENT_TYPE_OPTIONS, "nosniff")
}

/// What a caller wrote, as text of a page and never as its markup.
fn escaped(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
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
