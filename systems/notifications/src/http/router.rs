//! All routes, and the health checks of the system.

use axum::Router;
use service::http::{
    ApiDescription, Asset, HealthStatus, HttpResult, HttpServer, OpenApiRouter, Problem, routes,
};
use service::identity::{Caller, session_routes};

use crate::domain::UserId;
use crate::notifications::Notifications;

use super::{admin, devices, list, preferences, privacy, send, stream};

/// The role that may send events.
pub const SERVICE_ROLE: &str = "service";
/// The role that may list and retry events, and erase any user.
pub const ADMIN_ROLE: &str = "admin";

/// What the OpenAPI document says about this service.
const DESCRIPTION: &str = "Events become an in-app list and push messages: lists, preferences, devices, a live stream, \
                           export and erasure.";

/// The state of every route.
#[derive(Clone)]
pub(super) struct ApiState {
    pub(super) system: Notifications,
    pub(super) server: HttpServer,
}

impl Notifications {
    /// The HTTP interface, together with these static files.
    pub fn router(&self, server: &HttpServer, pages: &[Asset]) -> Router {
        self.add_health_checks(server);
        server.describe(ApiDescription::new(
            "Notifications",
            env!("CARGO_PKG_VERSION"),
            DESCRIPTION,
        ));
        server.identity().store_ended_sessions(self.core.containers.leases.clone());
        let api = OpenApiRouter::new()
            .routes(routes!(list::list))
            .routes(routes!(list::unread_count))
            .routes(routes!(list::read))
            .routes(routes!(list::dismiss))
            .routes(routes!(list::restore))
            .routes(routes!(list::read_all))
            .routes(routes!(preferences::read, preferences::change))
            .routes(routes!(devices::list, devices::register))
            .routes(routes!(devices::revoke))
            .routes(routes!(devices::verify))
            .routes(routes!(send::send))
            .routes(routes!(stream::stream))
            .routes(routes!(privacy::begin_export, privacy::export))
            .routes(routes!(privacy::erase, privacy::certificate))
            .routes(routes!(admin::events))
            .routes(routes!(admin::retry))
            .routes(routes!(admin::stats))
            .with_state(ApiState { system: self.clone(), server: server.clone() })
            .merge(session_routes(server.identity()));
        server.router(api, pages)
    }

    fn add_health_checks(&self, server: &HttpServer) {
        let core = std::sync::Arc::clone(&self.core);
        server.health().add_check("dispatcher", move || {
            let degraded = core.health.degraded_by(core.now());
            async move { degraded.map_or(HealthStatus::Ready, HealthStatus::Degraded) }
        });
        let core = std::sync::Arc::clone(&self.core);
        server.health().add_check("data", move || {
            let core = std::sync::Arc::clone(&core);
            async move {
                match core.containers.preferences.read_properties().await {
                    Ok(_) => HealthStatus::Ready,
                    Err(error) => HealthStatus::Failing(error.to_string()),
                }
            }
        });
    }
}

/// The caller as a user of this system.
pub(super) fn require_user(caller: &Caller) -> HttpResult<UserId> {
    UserId::parse(caller.subject()).map_err(|why| Problem::forbidden("no_user", why))
}
