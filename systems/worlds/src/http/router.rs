//! All routes, and the health check of the system.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use service::http::{
    ApiDescription, Asset, HealthStatus, HttpServer, OpenApiRouter, PageLimits, routes,
};
use service::identity::session_routes;

use super::{config, entities, operations, schemas, search, stream, transfer, trash, worlds};
use crate::worlds::Worlds;

/// What the OpenAPI document says about this service.
const DESCRIPTION: &str = "Worlds of nested entities with a materialised tree, property schemas, a trash with undo, \
                           search, import and export.";
/// Bytes of an archive at most.
const ARCHIVE_BYTES_MAX: usize = 25 * 1024 * 1024;
/// Rows of a page.
pub(super) const PAGE: PageLimits = PageLimits::new(PAGE_ROWS, 200);
/// Rows of a page that does not say how many.
pub(super) const PAGE_ROWS: usize = 50;

/// The state of every route.
#[derive(Clone)]
pub(super) struct WorldsApi {
    pub(super) system: Worlds,
    pub(super) server: HttpServer,
}

impl Worlds {
    /// The HTTP interface, together with these static files.
    pub fn router(&self, server: &HttpServer, pages: &[Asset]) -> Router {
        self.add_health_check(server);
        server.describe(ApiDescription::new("Worlds", env!("CARGO_PKG_VERSION"), DESCRIPTION));
        server.identity().store_ended_sessions(self.core.containers.leases.clone());
        let archives = OpenApiRouter::new()
            .routes(routes!(transfer::import))
            .layer(DefaultBodyLimit::max(ARCHIVE_BYTES_MAX));
        let api = OpenApiRouter::new()
            .routes(routes!(config::access_status))
            .routes(routes!(config::entity_types))
            .routes(routes!(worlds::list, worlds::create))
            .merge(archives)
            .routes(routes!(worlds::read, worlds::replace, worlds::delete))
            .routes(routes!(worlds::restore))
            .routes(routes!(worlds::hierarchy))
            .routes(routes!(transfer::export))
            .routes(routes!(stream::events))
            .routes(routes!(search::search))
            .routes(routes!(entities::list, entities::create))
            .routes(routes!(entities::read, entities::replace, entities::change, entities::delete))
            .routes(routes!(entities::children))
            .routes(routes!(entities::count_children))
            .routes(routes!(entities::move_to))
            .routes(routes!(trash::list))
            .routes(routes!(trash::restore))
            .routes(routes!(trash::purge))
            .routes(routes!(operations::list))
            .routes(routes!(operations::read))
            .routes(routes!(operations::retry))
            .routes(routes!(schemas::list, schemas::create))
            .routes(routes!(schemas::read, schemas::replace, schemas::delete))
            .routes(routes!(schemas::validate))
            .routes(routes!(schemas::json_schema))
            .with_state(WorldsApi { system: self.clone(), server: server.clone() })
            .merge(session_routes(server.identity()));
        server.router(api, pages)
    }

    fn add_health_check(&self, server: &HttpServer) {
        let core = std::sync::Arc::clone(&self.core);
        server.health().add_check("data", move || {
            let core = std::sync::Arc::clone(&core);
            async move {
                match core.containers.entities.read_properties().await {
                    Ok(_) => HealthStatus::Ready,
                    Err(error) => HealthStatus::Failing(error.to_string()),
                }
            }
        });
    }
}
