//! All routes, the role, and the health checks of the system.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use service::http::{
    ApiDescription, Asset, HealthStatus, HttpResult, HttpServer, OpenApiRouter, Problem, routes,
};
use service::identity::{Caller, session_routes};

use super::letter_case::ignore_letter_case;
use super::{admin, auth, culture, features, health, host, messages, presence, rooms, webhook};
use crate::action::ChatMember;
use crate::chat::Chat;
use crate::domain::{RoomName, UserName};
use crate::sign_in::IssuerAdmission;

/// The role that administers users and rooms.
pub const CHAT_ADMIN_ROLE: &str = "admin";

/// The state of every route.
#[derive(Clone)]
pub(super) struct ChatApi {
    pub(super) chat: Chat,
    pub(super) server: HttpServer,
}

impl Chat {
    /// The HTTP interface, together with these static files.
    pub fn router(&self, server: &HttpServer, pages: &[Asset]) -> Router {
        server.describe(ApiDescription::new(
            "Chat",
            env!("CARGO_PKG_VERSION"),
            "Rooms, messages, read receipts and presence. Live events come over SignalR at /chatHub.",
        ));
        server.identity().store_ended_sessions(self.core.containers.state.clone());
        let admission = IssuerAdmission(std::sync::Arc::clone(&self.core));
        server.identity().admit_by(std::sync::Arc::new(admission));
        self.add_health_checks(server);
        let state = ChatApi { chat: self.clone(), server: server.clone() };
        let mut api = OpenApiRouter::new()
            .routes(routes!(auth::start))
            .routes(routes!(auth::verify))
            .routes(routes!(auth::logout))
            .routes(routes!(auth::me))
            .routes(routes!(auth::by_issuer))
            .routes(routes!(auth::ways))
            .routes(routes!(features::show))
            .routes(routes!(rooms::list))
            .routes(routes!(rooms::unread))
            .routes(routes!(rooms::read))
            .routes(routes!(rooms::seen))
            .routes(routes!(messages::history))
            .routes(routes!(messages::post))
            .routes(routes!(messages::search))
            .routes(routes!(messages::read, messages::edit, messages::delete))
            .routes(routes!(messages::mark_read))
            .routes(routes!(presence::presence))
            .routes(routes!(presence::count))
            .routes(routes!(presence::reconnect))
            .routes(routes!(culture::strings))
            .routes(routes!(culture::set))
            .routes(routes!(culture::current))
            .routes(routes!(health::ready))
            .routes(routes!(health::totals))
            .routes(routes!(webhook::post))
            .routes(routes!(admin::users, admin::create_user))
            .routes(routes!(admin::change_user))
            .routes(routes!(admin::set_rooms))
            .routes(routes!(admin::rooms, admin::create_room))
            .routes(routes!(admin::set_retention))
            .routes(routes!(admin::create_hook))
            .routes(routes!(admin::export_room))
            .with_state(state)
            .merge(session_routes(server.identity()));
        let entra = &self.core.settings.entra_id;
        if entra.is_enabled() && entra.signed_out_callback_path != "/" {
            api = api.route(&entra.signed_out_callback_path, get(auth::signed_out));
        }
        let hosts = host::AllowedHosts::parse(&self.core.settings.allowed_hosts);
        let cors = host::CorsRules::new(&self.core.settings.cors);
        let paths: Vec<String> = api.get_openapi().paths.paths.keys().cloned().collect();
        let routes = server
            .router(api, pages)
            .layer(from_fn_with_state(cors, host::add_cors_headers))
            .layer(from_fn_with_state(hosts, host::check_host));
        ignore_letter_case(routes, paths.iter())
    }

    fn add_health_checks(&self, server: &HttpServer) {
        let core = std::sync::Arc::clone(&self.core);
        server.health().add_check("cosmos", move || {
            let core = std::sync::Arc::clone(&core);
            async move {
                match core.containers.rooms.read_properties().await {
                    Ok(_) => HealthStatus::Ready,
                    Err(error) => HealthStatus::Failing(error.to_string()),
                }
            }
        });
        let core = std::sync::Arc::clone(&self.core);
        server.health().add_check("redis", move || {
            let core = std::sync::Arc::clone(&core);
            async move {
                match core.ephemeral.ping().await {
                    Ok(()) => HealthStatus::Ready,
                    Err(error) => HealthStatus::Failing(error.to_string()),
                }
            }
        });
    }
}

impl ChatApi {
    /// The user behind a caller.
    pub(super) async fn member(&self, caller: &Caller) -> HttpResult<ChatMember> {
        Ok(self.chat.member(caller.subject()).await?)
    }

    /// Refuses callers who do not administer.
    pub(super) fn require_admin(&self, caller: &Caller) -> HttpResult<()> {
        let is_named =
            UserName::parse(caller.subject()).is_ok_and(|name| self.chat.core.is_admin(&name));
        if is_named { Ok(()) } else { caller.require_role(CHAT_ADMIN_ROLE) }
    }
}

pub(super) fn room_name(text: &str) -> HttpResult<RoomName> {
    RoomName::parse(text).map_err(|why| Problem::invalid_field("room", "invalid", why))
}

/// A text in a query string.
pub(super) fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode).collect()
}
