//! The requests of a hub and what each leads to.
//!
//! Does not own the transports; each has its file.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts as _, Request, State, WebSocketUpgrade};
use axum::http::header::{ACCEPT, CONTENT_TYPE, ORIGIN};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;

use super::negotiate::negotiate;
use super::origin;
use super::query::connection_token;
use super::refusal::Refusal;
use super::token_table::{NewConnection, TokenTable};
use super::{long_polling, server_sent_events, web_socket};
use crate::connection::{
    Attachment, CloseCause, HubConnection, Inbound, RequestIdentity, TransportKind, drive,
};
use crate::hub::HubCore;
use crate::options::OriginPolicy;

/// The routes of a hub at `path`.
pub(crate) fn routes<S: Send + Sync + 'static>(core: &Arc<HubCore<S>>, path: &str) -> Router {
    let path = path.trim_end_matches('/');
    let hub = if path.is_empty() { "/" } else { path };
    Router::new()
        .route(hub, any(hub_request::<S>))
        .route(&format!("{path}/negotiate"), any(negotiate_request::<S>))
        .with_state(Arc::clone(core))
}

async fn negotiate_request<S: Send + Sync + 'static>(
    State(core): State<Arc<HubCore<S>>>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let shared = &core.shared;
    if !origin::is_allowed(&shared.options.origins, &parts) {
        return Refusal::OtherOrigin.into_response();
    }
    let response = match parts.method {
        Method::POST if shared.is_shut_down() => Refusal::Unavailable.into_response(),
        Method::POST => negotiate(shared, &parts.uri),
        Method::OPTIONS => origin::preflight(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    };
    readable(&core, &parts, response)
}

async fn hub_request<S: Send + Sync + 'static>(
    State(core): State<Arc<HubCore<S>>>,
    request: Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    if !origin::is_allowed(&core.shared.options.origins, &parts) {
        return Refusal::OtherOrigin.into_response();
    }
    let answered = match parts.method {
        Method::GET => connect(&core, &mut parts).await,
        Method::POST => receive(&core, &parts, body).await,
        Method::DELETE => end(&core, &parts),
        Method::OPTIONS => Ok(origin::preflight()),
        _ => Ok(StatusCode::METHOD_NOT_ALLOWED.into_response()),
    };
    let response = answered.unwrap_or_else(|refusal| refusal.into_response());
    readable(&core, &parts, response)
}

/// Lets a page of another host that may connect read the answer.
fn readable<S: Send + Sync + 'static>(
    core: &HubCore<S>,
    parts: &Parts,
    mut response: Response,
) -> Response {
    if core.shared.options.origins != OriginPolicy::SameOrigin {
        origin::allow(response.headers_mut(), parts.headers.get(ORIGIN));
    }
    response
}

/// Opens a transport, or polls.
async fn connect<S: Send + Sync + 'static>(
    core: &Arc<HubCore<S>>,
    parts: &mut Parts,
) -> Result<Response, Refusal> {
    let accepts = parts.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if accepts.is_some_and(|accept| accept.contains("text/event-stream")) {
        let attached =
            attach(core, parts, existing(core, parts)?, TransportKind::ServerSentEvents)?;
        return Ok(server_sent_events::respond(attached));
    }
    let upgrade = WebSocketUpgrade::from_request_parts(parts, &()).await;
    let Ok(upgrade) = upgrade else {
        let attached = attach(core, parts, existing(core, parts)?, TransportKind::LongPolling)?;
        return Ok(long_polling::respond(&core.shared, attached).await);
    };
    let connection = match connection_token(&parts.uri) {
        Some(_) => existing(core, parts)?,
        None if core.shared.is_shut_down() => return Err(Refusal::Unavailable),
        None => {
            let request = NewConnection { has_token: true, stateful: false, negotiated: false };
            TokenTable::create(&core.shared, request).ok_or(Refusal::Unavailable)?
        }
    };
    let attached = attach(core, parts, connection, TransportKind::WebSockets)?;
    Ok(web_socket::respond(&core.shared.options, upgrade, attached))
}

/// A transport that carries a connection.
pub(super) struct Attached {
    pub(super) connection: Arc<HubConnection>,
    pub(super) generation: u64,
    pub(super) first: bool,
}

fn existing<S: Send + Sync + 'static>(
    core: &HubCore<S>,
    parts: &Parts,
) -> Result<Arc<HubConnection>, Refusal> {
    let token = connection_token(&parts.uri).ok_or(Refusal::NoToken)?;
    core.shared.sessions.find(token).ok_or(Refusal::UnknownToken)
}

fn attach<S: Send + Sync + 'static>(
    core: &Arc<HubCore<S>>,
    parts: &Parts,
    connection: Arc<HubConnection>,
    kind: TransportKind,
) -> Result<Attached, Refusal> {
    let transports = core.shared.options.transports;
    let is_on = match kind {
        TransportKind::WebSockets => transports.web_sockets,
        TransportKind::ServerSentEvents => transports.server_sent_events,
        TransportKind::LongPolling => transports.long_polling,
    };
    if !is_on {
        return Err(Refusal::TransportOff(kind));
    }
    let identity =
        RequestIdentity { user: core.user_of(parts), extensions: parts.extensions.clone() };
    match connection.attach(kind, identity) {
        Attachment::Attached { generation, first } => {
            if first {
                core.shared.sessions.opened(&connection);
                tokio::spawn(drive(Arc::clone(core), Arc::clone(&connection)));
            }
            Ok(Attached { connection, generation, first })
        }
        Attachment::AlreadyActive => Err(Refusal::AlreadyActive),
        Attachment::OtherTransport => Err(Refusal::OtherTransport),
        Attachment::OtherUser => Err(Refusal::OtherUser),
    }
}

/// The other direction of Server-Sent Events and long polling: the body is what the client sends.
async fn receive<S: Send + Sync + 'static>(
    core: &Arc<HubCore<S>>,
    parts: &Parts,
    body: Body,
) -> Result<Response, Refusal> {
    let connection = existing(core, parts)?;
    if connection.transport_kind() == Some(TransportKind::WebSockets) {
        return Err(Refusal::SendOverWebSocket);
    }
    check_user(core, parts, &connection)?;
    connection.inbox.room().await;
    // A body may hold several messages, each of which may be as large as a message may be.
    let bytes_max = core.shared.options.receive_message_bytes_max.saturating_mul(4).max(64 * 1024);
    let inbound = match to_bytes(body, bytes_max).await {
        Ok(data) => Inbound::Data(data),
        Err(_) => Inbound::Oversize,
    };
    match connection.inbox.push(inbound) {
        true => Ok(([(CONTENT_TYPE, "text/plain")], "").into_response()),
        false => Err(Refusal::UnknownToken),
    }
}

/// Ends a connection that polls.
fn end<S: Send + Sync + 'static>(
    core: &Arc<HubCore<S>>,
    parts: &Parts,
) -> Result<Response, Refusal> {
    let connection = existing(core, parts)?;
    if connection.transport_kind() != Some(TransportKind::LongPolling) {
        return Err(Refusal::EndOverOther);
    }
    check_user(core, parts, &connection)?;
    connection.close(CloseCause::ClientClosed(None));
    Ok((StatusCode::ACCEPTED, [(CONTENT_TYPE, "text/plain")], "").into_response())
}

fn check_user<S: Send + Sync + 'static>(
    core: &HubCore<S>,
    parts: &Parts,
    connection: &HubConnection,
) -> Result<(), Refusal> {
    match connection.identity() {
        Some(identity) if identity.user != core.user_of(parts) => Err(Refusal::OtherUser),
        _ => Ok(()),
    }
}
