//! Answers to requests that a hub does not take, with the texts of the official server.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::connection::TransportKind;

/// Why a request is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    NoToken,
    UnknownToken,
    AlreadyActive,
    OtherTransport,
    OtherUser,
    TransportOff(TransportKind),
    SendOverWebSocket,
    EndOverOther,
    OtherOrigin,
    /// The server stops, or has as many connections as it may.
    Unavailable,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::NoToken => (StatusCode::BAD_REQUEST, "Connection ID required".to_owned()),
            Self::UnknownToken => (StatusCode::NOT_FOUND, "No Connection with that ID".to_owned()),
            Self::AlreadyActive => (StatusCode::CONFLICT, String::new()),
            Self::OtherTransport => {
                (StatusCode::BAD_REQUEST, "Cannot change transports mid-connection".to_owned())
            }
            Self::OtherUser => (
                StatusCode::FORBIDDEN,
                "The user associated with this connection changed.".to_owned(),
            ),
            Self::TransportOff(kind) => (
                StatusCode::NOT_FOUND,
                format!("{kind:?} transport not supported by this end point type"),
            ),
            Self::SendOverWebSocket => (
                StatusCode::METHOD_NOT_ALLOWED,
                "POST requests are not allowed for WebSocket connections.".to_owned(),
            ),
            Self::EndOverOther => (
                StatusCode::BAD_REQUEST,
                "Cannot terminate this connection using the DELETE endpoint.".to_owned(),
            ),
            Self::OtherOrigin => {
                (StatusCode::FORBIDDEN, "Pages of this origin may not connect.".to_owned())
            }
            Self::Unavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The server takes no further connections now.".to_owned(),
            ),
        };
        (status, [(CONTENT_TYPE, "text/plain")], text).into_response()
    }
}
