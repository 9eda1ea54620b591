//! All routes, the roles, and the health checks of the system.

use axum::Router;
use service::http::{
    ApiDescription, Asset, HealthStatus, HttpResult, HttpServer, OpenApiRouter, Problem, routes,
};
use service::identity::{Caller, session_routes};

use crate::domain::{ClusterName, WorkloadKey};
use crate::migration::SecretMigration;

use super::{cluster, event, resolve, wave, workload};

/// The role that may read everything.
pub const VIEWER_ROLE: &str = "viewer";
/// The role that may also scan, plan, migrate and roll back.
pub const OPERATOR_ROLE: &str = "operator";
/// The role that may also write mappings and roll back without its source.
pub const TRACKER_ADMIN_ROLE: &str = "admin";

/// The state of every route.
#[derive(Clone)]
pub(super) struct TrackerApi {
    pub(super) system: SecretMigration,
    pub(super) server: HttpServer,
}

impl SecretMigration {
    /// The HTTP interface, together with these static files.
    pub fn router(&self, server: &HttpServer, pages: &[Asset]) -> Router {
        server.describe(ApiDescription::new(
            "Secrets migration",
            env!("CARGO_PKG_VERSION"),
            "Workloads that move their secrets from Vault to another platform, wave by wave, and back at once.",
        ));
        server.identity().store_ended_sessions(self.core.containers.leases.clone());
        self.add_health_checks(server);
        let api = OpenApiRouter::new()
            .routes(routes!(cluster::clusters))
            .routes(routes!(cluster::summary))
            .routes(routes!(cluster::plan))
            .routes(routes!(cluster::check))
            .routes(routes!(cluster::drift))
            .routes(routes!(cluster::audit))
            .routes(routes!(cluster::mapping, cluster::put_mapping))
            .routes(routes!(cluster::mappings_of))
            .routes(routes!(cluster::roll_back))
            .routes(routes!(workload::list))
            .routes(routes!(workload::read, workload::change))
            .routes(routes!(workload::migrate))
            .routes(routes!(workload::roll_back))
            .routes(routes!(workload::retry))
            .routes(routes!(wave::list, wave::create))
            .routes(routes!(wave::read))
            .routes(routes!(wave::approve))
            .routes(routes!(wave::start))
            .routes(routes!(wave::pause))
            .routes(routes!(wave::roll_back))
            .routes(routes!(resolve::resolve))
            .routes(routes!(event::resolve_stream))
            .routes(routes!(event::events))
            .routes(routes!(cluster::scan))
            .routes(routes!(cluster::verify))
            .with_state(TrackerApi { system: self.clone(), server: server.clone() })
            .merge(session_routes(server.identity()));
        server.router(api, pages)
    }

    fn add_health_checks(&self, server: &HttpServer) {
        let core = std::sync::Arc::clone(&self.core);
        server.health().add_check("data", move || {
            let core = std::sync::Arc::clone(&core);
            async move {
                match core.containers.workloads.read_properties().await {
                    Ok(_) => HealthStatus::Ready,
                    Err(error) => HealthStatus::Failing(error.to_string()),
                }
            }
        });
    }
}

/// Each role may do what the ones before it may.
const ROLES: [&str; 3] = [VIEWER_ROLE, OPERATOR_ROLE, TRACKER_ADMIN_ROLE];

/// Refuses a caller without this role or a higher one.
pub(super) fn require(caller: &Caller, role: &str) -> HttpResult<()> {
    let enough = ROLES.iter().skip_while(|known| **known != role);
    if enough.into_iter().any(|role| caller.has_role(role)) {
        return Ok(());
    }
    Err(Problem::forbidden("role_missing", format!("This needs the role '{role}'.")))
}

pub(super) fn cluster_name(text: &str) -> HttpResult<ClusterName> {
    ClusterName::parse(text).map_err(|why| Problem::invalid_field("cluster", "invalid", why))
}

pub(super) fn workload_key(
    (cluster, namespace, name): &(String, String, String),
) -> HttpResult<WorkloadKey> {
    WorkloadKey::parse(cluster, namespace, name)
        .map_err(|why| Problem::invalid_field("workload", "invalid", why))
}
