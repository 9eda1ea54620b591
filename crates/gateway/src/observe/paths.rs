//! The paths of health, metrics and the certificate.
//!
//! Owns telling them from the paths of resources. None of them is signed.

use hyper::{Method, StatusCode};
use model::{Json, Object};

use crate::exchange::Reply;
use crate::gateway::Gateway;
use crate::route::Path;

/// The answer, if the path is one of ours.
pub(crate) fn answer(gateway: &Gateway, method: &Method, path: &Path<'_>) -> Option<Reply> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    match (path.segment(0)?, path.segment(1)) {
        ("alive", None) => Some(health("alive")),
        ("ready", None) => Some(health("ready")),
        ("status", None) => Some(status(gateway)),
        ("metrics", None) => {
            let text = gateway.metrics().text(gateway.engine().environment().now().0);
            Some(Reply::text(StatusCode::OK, "text/plain; version=0.0.4", text))
        }
        ("_explorer", Some("emulator.pem")) if path.segment(2).is_none() => {
            Some(certificate(gateway))
        }
        _ => None,
    }
}

fn certificate(gateway: &Gateway) -> Reply {
    match gateway.certificate() {
        Some(pem) => Reply::text(StatusCode::OK, "application/x-pem-file", pem.to_owned()),
        None => crate::exchange::Failure::not_found(
            "This server has no certificate: it is served without TLS. Start it with --tls.",
        )
        .into_reply("none"),
    }
}

fn health(state: &str) -> Reply {
    let mut object = Object::new();
    object.insert("status", state);
    Reply::ok(Json::Object(object).to_bytes())
}

fn status(gateway: &Gateway) -> Reply {
    let metrics = gateway.metrics();
    let now_ms = gateway.engine().environment().now().0;
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut object = Object::new();
    object.insert("status", "ready");
    object.insert("account", gateway.engine().settings().account_id.as_str());
    object.insert("version", env!("CARGO_PKG_VERSION"));
    object.insert("uptimeSeconds", integer(metrics.uptime_seconds(now_ms)));
    object.insert("requests", integer(metrics.requests()));
    Reply::ok(Json::Object(object).to_bytes())
}
