//! The HTTP server of a service: its routes inside the middleware that every service has.
//!
//! Owns the order of the layers. Does not own any route of a system.
//!
//! ```text
//! request ─► request id ─► observe ─► authenticate ─► rate limit ─► body limit ─► route
//! ```
//!
//! The routes of `operations.rs` are merged outside of authentication and limits: a probe or a scrape has no caller,
//! and must get through when callers do not.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use client::Environment;
use tokio::net::TcpListener;
use tower::ServiceBuilder;
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};
use ui_kit::Asset;
use utoipa_axum::router::OpenApiRouter;

use super::api_description::ApiDescription;
use super::asset::route_asset;
use super::connections::{ServeOptions, serve};
use super::events::StreamLimit;
use super::observe::{Health, ServiceMetrics};
use super::paging::Cursors;
use super::rate_limit::RateLimit;
use super::request_id::{RandomRequestId, X_REQUEST_ID, drop_unsafe_request_id};
use super::settings::HttpSettings;
use super::shutdown::ShutdownSignal;
use super::{middleware, operations};
use crate::identity::Identity;

/// The HTTP server of a service. Clones share it.
#[derive(Clone, Debug)]
pub struct HttpServer(Arc<HttpServerInner>);

#[derive(Debug)]
struct HttpServerInner {
    environment: Environment,
    settings: HttpSettings,
    identity: Identity,
    cursors: Cursors,
    limit: Option<RateLimit>,
    streams: StreamLimit,
    metrics: ServiceMetrics,
    health: Health,
    shutdown: ShutdownSignal,
    description: OnceLock<ApiDescription>,
}

impl HttpServer {
    /// Creates a server with these settings that authenticates callers by `identity`.
    #[must_use]
    pub fn new(environment: Environment, settings: HttpSettings, identity: Identity) -> Self {
        let per_minute = settings.requests_per_minute;
        let limit = (per_minute > 0)
            .then(|| RateLimit::new(environment.clone(), per_minute, Duration::from_secs(60)));
        let streams = StreamLimit::new(settings.streams_max, settings.streams_per_caller);
        let cursors = Cursors::new(identity.signing_key());
        let (metrics, health, shutdown) = Default::default();
        let inner = HttpServerInner {
            environment,
            settings,
            identity,
            cursors,
            limit,
            streams,
            metrics,
            health,
            shutdown,
            description: OnceLock::new(),
        };
        Self(Arc::new(inner))
    }

    /// Time, randomness and tasks.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.0.environment
    }

    /// Authenticates callers.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Signs and verifies cursors.
    #[must_use]
    pub fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    /// The metrics that `/metrics` shows.
    #[must_use]
    pub fn metrics(&self) -> &ServiceMetrics {
        &self.0.metrics
    }

    /// The checks that `/readyz` runs.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.0.health
    }

    /// The signal on which this server stops.
    #[must_use]
    pub fn shutdown(&self) -> &ShutdownSignal {
        &self.0.shutdown
    }

    /// Says what the OpenAPI document of [`HttpServer::router`] has as its title. Later calls have no effect.
    pub fn describe(&self, description: ApiDescription) {
        let _ = self.0.description.set(description);
    }

    /// The router of a service: the routes of the system, its pages, and the routes every service has.
    pub fn router(&self, api: OpenApiRouter, pages: &[Asset]) -> Router {
        let HttpServerInner { environment, settings, identity, limit, streams, .. } = &*self.0;
        let (metrics, health, shutdown) = (self.metrics(), self.health(), self.shutdown());
        let (routes, document) = api.split_for_parts();
        let description = self.0.description.get_or_init(ApiDescription::default);
        let document = description.document_text(document, identity.session_cookie_name());
        let mut routes = pages.iter().fold(routes, |routes, page| route_asset(*page, routes));
        // A layer added later runs earlier.
        routes = routes.layer(DefaultBodyLimit::max(settings.body_bytes_max));
        if let Some(limit) = limit {
            routes = routes.layer(from_fn_with_state(limit.clone(), middleware::limit));
        }
        let identity = (identity.clone(), streams.clone());
        let observed = (environment.clone(), metrics.clone());
        let outermost = ServiceBuilder::new()
            // In a `ServiceBuilder` the first layer is the outermost, unlike with `Router::layer`.
            .map_request(drop_unsafe_request_id)
            .layer(SetRequestIdLayer::new(X_REQUEST_ID, RandomRequestId::new(environment.clone())))
            .layer(PropagateRequestIdLayer::new(X_REQUEST_ID))
            .layer(from_fn_with_state(observed, middleware::observe));
        routes
            .layer(from_fn_with_state(identity, middleware::authenticate))
            .merge(operations::routes(document, health.clone(), metrics.clone(), shutdown.clone()))
            .fallback(operations::no_such_route)
            .method_not_allowed_fallback(operations::method_not_allowed)
            .layer(outermost)
    }

    /// Serves at the address of the settings until [`HttpServer::shutdown`] is triggered.
    ///
    /// # Errors
    /// When the address is in use or listening is not permitted.
    pub async fn serve(&self, router: Router) -> io::Result<()> {
        let listen = &self.0.settings.listen;
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("cannot listen at {listen} (Http:Listen): {error}"),
            )
        })?;
        self.serve_at(listener, router).await
    }

    /// Serves at the address of the settings until `signal` completes, then shuts down gracefully:
    /// `server.serve_until(router, tokio::signal::ctrl_c())`.
    ///
    /// # Errors
    /// Those of [`HttpServer::serve`].
    pub async fn serve_until<T>(
        &self,
        router: Router,
        signal: impl Future<Output = T>,
    ) -> io::Result<()> {
        let mut serving = std::pin::pin!(self.serve(router));
        tokio::select! {
            served = &mut serving => return served,
            _ = signal => self.shutdown().trigger(),
        }
        serving.await
    }

    /// Serves at a listener until [`HttpServer::shutdown`] is triggered.
    ///
    /// # Errors
    /// When the listener has no local address.
    pub async fn serve_at(&self, listener: TcpListener, router: Router) -> io::Result<()> {
        let settings = &self.0.settings;
        let options = ServeOptions {
            grace: Duration::from_secs(settings.grace_seconds.into()),
            header_read: Duration::from_secs(settings.header_seconds.into()),
            connections_max: settings.connections_max,
        };
        let address = listener.local_addr()?;
        tracing::info!(%address, "listening");
        serve(listener, router, self.shutdown(), options).await;
        Ok(())
    }
}
