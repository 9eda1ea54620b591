//! Negotiation: a client learns its connection id and the transports.

use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::query::parameter;
use super::refusal::Refusal;
use super::token_table::{NewConnection, TokenTable};
use crate::delivery::HubShared;
use crate::options::TransportSet;

/// The newest version of negotiation.
const VERSION_MAX: u32 = 1;

pub(super) fn negotiate(shared: &HubShared, uri: &Uri) -> Response {
    let version =
        match version(parameter(uri, "negotiateVersion"), shared.options.negotiate_version_min) {
            Ok(version) => version,
            Err(error) => return answer(&json!({ "error": error })),
        };
    let asked = parameter(uri, "useStatefulReconnect");
    let stateful = shared.options.stateful_reconnect
        && asked.is_some_and(|asked| asked.eq_ignore_ascii_case("true"));
    let request = NewConnection { has_token: version > 0, stateful, negotiated: true };
    let Some(connection) = TokenTable::create(shared, request) else {
        return Refusal::Unavailable.into_response();
    };
    let mut body = json!({
        "negotiateVersion": version,
        "connectionId": connection.id.as_str(),
        "availableTransports": available(shared.options.transports),
    });
    if let Value::Object(body) = &mut body {
        if version > 0 {
            body.insert("connectionToken".to_owned(), json!(&*connection.token));
        }
        // The official client fails if the answer has this without a request for it.
        if stateful {
            body.insert("useStatefulReconnect".to_owned(), json!(true));
        }
    }
    answer(&body)
}

fn version(asked: Option<&str>, version_min: u32) -> Result<u32, String> {
    let asked = match asked {
        None => 0,
        Some(text) => text
            .parse::<i64>()
            .map_err(|_| "The client requested a non-integer protocol version.".to_owned())?,
    };
    match u32::try_from(asked) {
        Ok(asked) if asked >= version_min => Ok(asked.min(VERSION_MAX)),
        _ => Err(format!(
            "The client requested version '{asked}', but the server does not support this version."
        )),
    }
}

fn available(transports: TransportSet) -> Vec<Value> {
    let both = ["Text", "Binary"].as_slice();
    [
        (transports.web_sockets, "WebSockets", both),
        (transports.server_sent_events, "ServerSentEvents", &["Text"]),
        (transports.long_polling, "LongPolling", both),
    ]
    .into_iter()
    .filter(|(is_on, _, _)| *is_on)
    .map(|(_, name, formats)| json!({ "transport": name, "transferFormats": formats }))
    .collect()
}

fn answer(body: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_lowered_to_what_is_known_and_refused_below_the_least() {
        assert_eq!(version(None, 0), Ok(0));
        assert_eq!(version(Some("1"), 0), Ok(1));
        assert_eq!(version(Some("7"), 1), Ok(1));
        let unsupported =
            "The client requested version '0', but the server does not support this version.";
        assert_eq!(version(None, 1), Err(unsupported.to_owned()));
        let no_integer = "The client requested a non-integer protocol version.";
        assert_eq!(version(Some("x"), 0), Err(no_integer.to_owned()));
    }
}
