//! The kit as a value: what surrounds the routes of every system.
//!
//! Owns the order of the layers, the paths every service has (`/healthz`, `/readyz`, `/metrics`, `/openapi.json`) and
//! the answers for no route and a wrong method. Does not own any route of a system.
//!
//! ```text
//! request ─► observe (request id, panics, log, metrics, headers) ─► identity ─► rate limit ─► body limit ─► route
//! ```

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use client::Environment;
use tokio::net::TcpListener;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;

use super::asset::Asset;
use super::events::StreamLimit;
use super::observe::{Health, Metrics};
use super::paging::Cursors;
use super::problem::Problem;
use super::rate_limit::RateLimit;
use super::serve::{ServeOptions, Stop, serve};
use super::settings::HttpSettings;
use super::{layer, openapi};
use crate::identity::Identity;

/// The code of an answer where no route is.
pub(crate) const NO_SUCH_ROUTE: &str = "no_such_route";
/// The code of an answer where the route takes other methods.
pub(crate) const METHOD_NOT_ALLOWED: &str = "method_not_allowed";
/// The paths every service has, which its own document does not name.
pub(crate) const PATHS: [&str; 4] = ["/healthz", "/readyz", "/metrics", openapi::PATH];

/// What every service has around its routes. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Kit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    environment: Environment,
    settings: HttpSettings,
    identity: Identity,
    cursors: Cursors,
    limit: Option<RateLimit>,
    streams: StreamLimit,
    metrics: Metrics,
    health: Health,
    stop: Stop,
}

impl Kit {
    /// A kit with these settings and this identity.
    #[must_use]
    pub fn new(environment: Environment, settings: HttpSettings, identity: Identity) -> Self {
        let per_minute = settings.requests_per_minute;
        let limit = (per_minute > 0)
            .then(|| RateLimit::new(environment.clone(), per_minute, Duration::from_secs(60)));
        let streams = StreamLimit::new(settings.streams_max, settings.streams_per_caller);
        let cursors = Cursors::new(identity.signing_key());
        let (metrics, health, stop) = Default::default();
        let inner = Inner {
            environment,
            settings,
            identity,
            cursors,
            limit,
            streams,
            metrics,
            health,
            stop,
        };
        Self(Arc::new(inner))
    }

    /// Time, randomness and tasks.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.0.environment
    }

    /// Who callers are.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Makes and opens cursors.
    #[must_use]
    pub fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    /// Numbers for `/metrics`.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Checks for `/readyz`.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.0.health
    }

    /// The signal to stop.
    #[must_use]
    pub fn stop(&self) -> &Stop {
        &self.0.stop
    }

    pub(crate) fn limit(&self) -> Option<&RateLimit> {
        self.0.limit.as_ref()
    }

    pub(crate) fn streams(&self) -> &StreamLimit {
        &self.0.streams
    }

    /// Everything a service answers: its routes, its pages, and what every service has.
    pub fn router(&self, api: OpenApiRouter, pages: &[Asset]) -> Router {
        let (routes, document) = api.split_for_parts();
        let routes = pages.iter().fold(routes, |routes, page| page.route(routes));
        let routes = routes
            .layer(DefaultBodyLimit::max(self.0.settings.body_bytes_max))
            .layer(from_fn_with_state(self.clone(), layer::limit))
            .layer(from_fn_with_state(self.clone(), layer::identify));
        routes
            .merge(self.operations(document))
            .fallback(no_such_route)
            .method_not_allowed_fallback(method_not_allowed)
            .layer(from_fn_with_state(self.clone(), layer::observe))
    }

    /// Serves at the address of the settings until [`Kit::stop`].
    ///
    /// # Errors
    /// When the address is taken, or nobody may listen there.
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

    /// Serves at the address of the settings until a signal comes, then stops as [`Kit::stop`] does:
    /// `kit.serve_until(router, tokio::signal::ctrl_c())`.
    ///
    /// # Errors
    /// Those of [`Kit::serve`].
    pub async fn serve_until<T>(
        &self,
        router: Router,
        signal: impl Future<Output = T>,
    ) -> io::Result<()> {
        let mut serving = std::pin::pin!(self.serve(router));
        tokio::select! {
            served = &mut serving => return served,
            _ = signal => self.stop().stop(),
        }
        serving.await
    }

    /// Serves at a listener until [`Kit::stop`].
    ///
    /// # Errors
    /// Those of the listener.
    pub async fn serve_at(&self, listener: TcpListener, router: Router) -> io::Result<()> {
        let settings = &self.0.settings;
        let options = ServeOptions {
            grace: Duration::from_secs(settings.grace_seconds.into()),
            header_read: Duration::from_secs(settings.header_seconds.into()),
            connections_max: settings.connections_max,
        };
        let address = listener.local_addr()?;
        tracing::info!(%address, "listening");
        serve(listener, router, self.stop(), options).await;
        Ok(())
    }

    fn operations(&self, document: OpenApi) -> Router {
        let document = written(document);
        let ready = self.clone();
        let metrics = self.0.metrics.clone();
        let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let text = [(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"))];
        let [healthz, readyz, metrics_path, openapi] = PATHS;
        Router::new()
            .route(healthz, get(async || Health::alive()))
            .route(readyz, get(move || async move { ready.health().ready(ready.stop()).await }))
            .route(metrics_path, get(move || async move { (text, metrics.render()) }))
            .route(openapi, get(move || async move { (json, document) }))
    }
}

/// The document as text, with the way callers say who they are.
fn written(mut document: OpenApi) -> String {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    document.to_json().unwrap_or_default()
}

async fn no_such_route(uri: Uri) -> Problem {
    let detail = format!("There is nothing at {}.", uri.path());
    Problem::new(StatusCode::NOT_FOUND, NO_SUCH_ROUTE, detail)
}

async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}.", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, METHOD_NOT_ALLOWED, detail)
}
