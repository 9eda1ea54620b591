//! All routes, and the stores of a request.

use axum::Router;
use service::http::{
    ApiDescription, Asset, HealthStatus, HttpResult, HttpServer, OpenApiRouter, Problem, routes,
};
use service::identity::{Caller, session_routes};

use super::{admin, events, groups, projections, school, stream, tags};
use crate::domain::{EventTag, SortableUniqueId};
use crate::service_id::{RequestClaims, ServiceId};
use crate::store::StoreScope;
use crate::system::EventStoreSystem;

/// The role of operators. It is no tenant: tokens of tenants do not have it.
pub const EVENT_STORE_ADMIN_ROLE: &str = "event-store-admin";

/// The state of every route.
#[derive(Clone)]
pub(super) struct EventStoreApi {
    pub(super) system: EventStoreSystem,
    pub(super) server: HttpServer,
}

impl EventStoreSystem {
    /// The HTTP interface, together with these static files.
    pub fn router(&self, server: &HttpServer, pages: &[Asset]) -> Router {
        server.describe(ApiDescription::new(
            "Event store",
            env!("CARGO_PKG_VERSION"),
            "Events with tags, conditional appends, projections. The token names the tenant.",
        ));
        self.add_health_check(server);
        server.metrics().add_collector(self.storage().activity.collector());
        let state = EventStoreApi { system: self.clone(), server: server.clone() };
        let api = OpenApiRouter::new()
            .routes(routes!(events::append, events::list))
            .routes(routes!(stream::stream))
            .routes(routes!(events::one))
            .routes(routes!(tags::list))
            .routes(routes!(tags::one))
            .routes(routes!(tags::events))
            .routes(routes!(tags::state))
            .routes(routes!(projections::list))
            .routes(routes!(projections::one))
            .routes(routes!(projections::rebuild))
            .routes(routes!(projections::query))
            .routes(routes!(groups::list))
            .routes(routes!(groups::receive))
            .routes(routes!(groups::commit))
            .routes(routes!(groups::delete))
            .routes(routes!(school::students, school::create_student))
            .routes(routes!(school::class_rooms, school::create_class_room))
            .routes(routes!(school::enroll, school::unenroll))
            .routes(routes!(admin::services, admin::register))
            .routes(routes!(admin::drop_service))
            .routes(routes!(admin::stats))
            .routes(routes!(admin::query))
            .routes(routes!(admin::repair))
            .routes(routes!(admin::conflicts))
            .routes(routes!(admin::migrations, admin::start_migration))
            .routes(routes!(admin::migration))
            .routes(routes!(admin::stop_migration))
            .routes(routes!(admin::tenant_tags))
            .routes(routes!(admin::tenant_tag_state))
            .routes(routes!(admin::tenant_event))
            .routes(routes!(admin::tenant_stream))
            .routes(routes!(admin::tenant_projections))
            .routes(routes!(admin::rebuild_tenant_projection))
            .with_state(state)
            .merge(session_routes(server.identity()));
        server.router(api, pages)
    }

    fn add_health_check(&self, server: &HttpServer) {
        let system = self.clone();
        server.health().add_check("storage", move || {
            let system = system.clone();
            async move {
                let probe = system.scope_of(&ServiceId::default_tenant());
                match probe.events.read_all(None, Some(1)).await {
                    Ok(_) => HealthStatus::Ready,
                    Err(error) => HealthStatus::Failing(error.to_string()),
                }
            }
        });
    }
}

impl EventStoreApi {
    /// The stores of a request, and its tenant.
    pub(super) fn scope(&self, caller: &Caller) -> HttpResult<(StoreScope, ServiceId)> {
        let scope = self.system.scope(RequestClaims::of(caller));
        let service = scope.events.service_id()?;
        Ok((scope, service))
    }

    /// A position for a client: signed, and of one tenant and purpose.
    pub(super) fn seal(&self, purpose: &str, service: &ServiceId, text: &str) -> String {
        self.server.cursors().seal(&[purpose, service.as_str()], text)
    }

    /// A position of a client. One of another tenant or purpose is refused.
    pub(super) fn open(
        &self,
        purpose: &str,
        service: &ServiceId,
        text: &str,
    ) -> HttpResult<String> {
        self.server.cursors().open(&[purpose, service.as_str()], text)
    }

    /// Where a list starts: a sortable id, or a cursor of this tenant.
    pub(super) fn since(
        &self,
        service: &ServiceId,
        text: Option<&str>,
    ) -> HttpResult<Option<SortableUniqueId>> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
        if let Ok(id) = SortableUniqueId::parse(text) {
            return Ok(Some(id));
        }
        let id = self.open("since", service, text)?;
        let id = SortableUniqueId::parse(&id);
        id.map(Some).map_err(|why| Problem::invalid_field("since", "invalid", why))
    }
}

/// Refuses callers who are no operators.
pub(super) fn require_operator(caller: &Caller) -> HttpResult<()> {
    caller.require_role(EVENT_STORE_ADMIN_ROLE)
}

pub(super) fn parse_tags(texts: &[String]) -> HttpResult<Vec<EventTag>> {
    Ok(texts.iter().map(|text| EventTag::parse(text)).collect::<crate::error::Result<_>>()?)
}
