//! Dispatch: authorizes a request and calls the handler of its route.
//!
//! Owns the match from routes to handlers. Does not own the handlers.

use engine::AttachedKind;
use hyper::Method;
use hyper::header::{AUTHORIZATION, COOKIE};

use crate::authorization::{AuthorizationContext, RequestAuthorization, authorize};
use crate::backup;
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};
use crate::observe;
use crate::query;
use crate::resource::{self, attached};
use crate::route::{OwnRoute, RequestPath, Route};
use crate::session::{check_reads_only, check_same_site, check_session_request};

impl Gateway {
    /// Refuses a request whose caller may not make it. Runs before the body is read.
    pub(crate) async fn authorize(
        &self,
        request: &ApiRequest,
        path: &RequestPath<'_>,
    ) -> ApiResult<RequestAuthorization> {
        if request.method == Method::OPTIONS {
            return Err(ApiError::forbidden("Cross-origin requests are not allowed."));
        }
        // Before the signature: clients in direct mode sign the name of the container here and not this path, so that
        // the answer would be about their key, which is right.
        if path.segment(0) == Some("addresses") {
            return Err(direct_mode());
        }
        if self.authorize_session(request, path)? {
            return Ok(RequestAuthorization::Session);
        }
        authorize(&self.authorization_context(), request, path).await
    }

    /// Whether the request belongs to a session of the explorer; refused if it does and may not be made. A request
    /// with an authorization header is never one: then the browser did not send it by itself.
    fn authorize_session(&self, request: &ApiRequest, path: &RequestPath<'_>) -> ApiResult<bool> {
        let Some(explorer) = &self.settings().explorer else { return Ok(false) };
        if request.header(&COOKIE).is_none() || request.header(&AUTHORIZATION).is_some() {
            return Ok(false);
        }
        let now = self.engine().environment().now().seconds().0;
        let Some(session) = self.sessions().find(request.headers(), now) else { return Ok(false) };
        check_same_site(request.headers(), &explorer.host_names)?;
        let is_read_only = explorer.is_read_only;
        check_session_request(&session, request.headers())?;
        if is_read_only {
            check_reads_only(&request.method, request.headers(), path)?;
        }
        Ok(true)
    }

    /// Refuses a request because of its body, which the first check has not seen.
    pub(crate) async fn authorize_body(
        &self,
        authorization: &RequestAuthorization,
        request: &ApiRequest,
        path: &RequestPath<'_>,
    ) -> ApiResult<()> {
        let context = self.authorization_context();
        authorization.authorize_body(&context, request, path).await
    }

    fn authorization_context(&self) -> AuthorizationContext<'_> {
        let settings = self.settings();
        AuthorizationContext {
            engine: self.engine(),
            key: &settings.key,
            issuer: settings.issuer.as_deref(),
            role_assignments: &settings.role_assignments,
            clock_skew_max_seconds: settings.clock_skew_max_seconds,
        }
    }

    /// Handles an authorized request.
    pub(crate) async fn dispatch(
        &self,
        request: &ApiRequest,
        path: &RequestPath<'_>,
    ) -> ApiResult<ApiResponse> {
        // The futures of rare requests are large. They are boxed, so that the future of a point read, which is not,
        // stays small: it is moved several times on its way to the runtime.
        let Some(route) = path.route() else { return Err(unknown_path(path)) };
        let engine = self.engine();
        match route {
            Route::Account => resource::account::handle(self, request),
            Route::Addresses => Err(direct_mode()),
            Route::Own(own) => Box::pin(self.dispatch_own(request, own)).await,
            Route::Offers => Box::pin(resource::offer::handle_feed(engine, request)).await,
            Route::Offer(id) => Box::pin(resource::offer::handle(engine, request, id)).await,
            Route::Databases => Box::pin(resource::database::handle_feed(engine, request)).await,
            Route::Database(id) => Box::pin(resource::database::handle(engine, request, id)).await,
            Route::Containers(database) => {
                Box::pin(resource::container::handle_feed(engine, request, database)).await
            }
            Route::Container(database, container, inner) => {
                resource::container::dispatch(self, request, (database, container), inner).await
            }
            Route::Users(database) => {
                let parent = attached::parent_in_database(engine, database, AttachedKind::User)?;
                Box::pin(attached::handle_feed(self, request, &parent)).await
            }
            Route::User(database, user) => {
                let parent = attached::parent_in_database(engine, database, AttachedKind::User)?;
                Box::pin(attached::handle(self, request, &parent, user)).await
            }
            Route::Permissions(database, user) => {
                let parent = Box::pin(attached::parent_in_user(engine, database, user)).await?;
                Box::pin(attached::handle_feed(self, request, &parent)).await
            }
            Route::Permission(database, user, permission) => {
                let parent = Box::pin(attached::parent_in_user(engine, database, user)).await?;
                Box::pin(attached::handle(self, request, &parent, permission)).await
            }
            Route::EncryptionKeys(database) => {
                let kind = AttachedKind::ClientEncryptionKey;
                let parent = attached::parent_in_database(engine, database, kind)?;
                Box::pin(attached::handle_feed(self, request, &parent)).await
            }
            Route::EncryptionKey(database, key) => {
                let kind = AttachedKind::ClientEncryptionKey;
                let parent = attached::parent_in_database(engine, database, kind)?;
                Box::pin(attached::handle(self, request, &parent, key)).await
            }
        }
    }

    /// Handles a request under `/_planisphere`.
    async fn dispatch_own(
        &self,
        request: &ApiRequest,
        route: OwnRoute<'_>,
    ) -> ApiResult<ApiResponse> {
        match route {
            OwnRoute::Usage => observe::usage(self, request),
            OwnRoute::Report => observe::report(self, request),
            OwnRoute::Requests => observe::list_requests(self, request),
            OwnRoute::Request(number) => observe::read_request(self, request, number),
            OwnRoute::Traffic => observe::traffic(self, request),
            OwnRoute::Backups => backup::begin(self, request).await,
            OwnRoute::Backup(number) => match request.method {
                Method::GET => backup::read_next(self, number).await,
                Method::DELETE => backup::end(self, number),
                _ => Err(ApiError::method_not_allowed()),
            },
            OwnRoute::Restore => backup::apply(self, request).await,
            OwnRoute::RestorePoint => backup::restore_point(self, request).await,
            OwnRoute::Partitions(database, container) => {
                observe::handle_partitions(self, request, database, container).await
            }
            OwnRoute::PartitionKeys(database, container, number) => {
                observe::list_keys(self, request, database, container, number).await
            }
            OwnRoute::Versions(database, container, item) => {
                observe::list_versions(self, request, database, container, item).await
            }
            OwnRoute::Indexes(database, container) => {
                observe::measure_indexes(self, request, database, container).await
            }
            OwnRoute::Explain(database, container) => {
                query::explain_query(self, request, database, container).await
            }
            OwnRoute::Plan(database, container) => {
                observe::plan_change(self, request, database, container).await
            }
            OwnRoute::History(database, container, second) => {
                observe::read_history(self, request, database, container, second).await
            }
        }
    }
}

/// The service would answer with the addresses of replicas. A client does not repeat a request that ended with 400.
fn direct_mode() -> ApiError {
    ApiError::bad_request(
        "This server supports gateway mode only, and the client asks for the addresses of direct mode. Choose gateway \
         mode: .NET CosmosClientOptions.ConnectionMode = ConnectionMode.Gateway, Java \
         CosmosClientBuilder.gatewayMode().",
    )
}

fn unknown_path(path: &RequestPath<'_>) -> ApiError {
    if path.last_segment() == Some("$batch") {
        return ApiError::method_not_allowed();
    }
    ApiError::bad_request("Request url is invalid.")
}
