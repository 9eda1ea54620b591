//! Checks whether the roles of a caller allow a request.
//!
//! Owns the check and the error, which names principal, action and resource.

use engine::Engine;
use model::Json;

use super::action::{DataAction, RequiredAccess, required_access};
use super::assignment::{RoleAssignments, RoleScope};
use crate::authorization::context::AuthorizationContext;
use crate::authorization::issuer::BearerIdentity;
use crate::http::{ApiError, ApiRequest, ApiResult, parse_on_thread};
use crate::route::{RequestPath, Route};

const LEARN_MORE: &str = "Learn more: https://aka.ms/cosmos-native-rbac";

/// Refuses a request that no role of its caller allows. Runs before the body is read.
pub(crate) fn authorize(
    context: &AuthorizationContext<'_>,
    caller: &BearerIdentity,
    request: &ApiRequest,
    path: &RequestPath<'_>,
) -> ApiResult<()> {
    let check = RoleCheck::new(context, caller, path);
    match required_access(request, path.route()) {
        RequiredAccess::Action(action) if path.route() == Some(Route::Account) => {
            // Every client reads the account first, even if it may access a single container only.
            match check.roles.allow_anywhere(&check.principals(), action) {
                true => Ok(()),
                false => Err(check.forbidden(action)),
            }
        }
        RequiredAccess::Action(action) => check.require(action),
        // The operations are checked when the body has been read. A caller that may do none of them is refused now.
        RequiredAccess::Batch => {
            let mut actions = DataAction::ITEM_ACTIONS.into_iter();
            match actions.any(|action| check.allows(action)) {
                true => Ok(()),
                false => check.require(DataAction::CreateItem),
            }
        }
        RequiredAccess::AccountKey => Err(ApiError::forbidden(format!(
            "The given request [{} /{}] cannot be authorized by AAD token in data plane. Use the account key. \
             {LEARN_MORE}.",
            request.method, path.raw
        ))
        .with_sub_status(5300)),
    }
}

/// Refuses a batch with an operation that no role of its caller allows.
pub(crate) async fn authorize_batch(
    context: &AuthorizationContext<'_>,
    caller: &BearerIdentity,
    request: &ApiRequest,
    path: &RequestPath<'_>,
) -> ApiResult<()> {
    // All other requests were decided by their head.
    if required_access(request, path.route()) != RequiredAccess::Batch {
        return Ok(());
    }
    let kinds = parse_on_thread(context.engine, &request.body, |body| Ok(operation_kinds(body)));
    let kinds = kinds.await?;
    let check = RoleCheck::new(context, caller, path);
    for kind in kinds {
        check.require(match kind.as_str() {
            "create" => DataAction::CreateItem,
            "upsert" => DataAction::UpsertItem,
            "read" => DataAction::ReadItem,
            "delete" => DataAction::DeleteItem,
            // Patch and replace. An unknown operation is refused when the batch runs.
            _ => DataAction::ReplaceItem,
        })?;
    }
    Ok(())
}

/// The kinds of the operations of a batch. A body that is not a list of operations is refused when the batch runs.
fn operation_kinds(body: &[u8]) -> Vec<String> {
    let body = Json::parse(body).unwrap_or(Json::Null);
    let operations = body.as_array().unwrap_or_default().iter();
    let kind = |operation: &Json| {
        let kind = operation.get("operationType").and_then(Json::as_str).unwrap_or_default();
        kind.to_ascii_lowercase()
    };
    operations.map(kind).collect()
}

/// The resource that a request is about.
#[derive(Debug)]
struct RequestTarget {
    /// By names, because role assignments use names.
    scope: RoleScope,
    /// Whether the path contains names and not resource ids.
    is_by_name: bool,
}

impl RequestTarget {
    fn resolve(engine: &Engine, path: &RequestPath<'_>) -> Self {
        let segment = |index: usize| path.segment(index);
        match (segment(1), segment(3).filter(|_| segment(2) == Some("colls"))) {
            (Some(database), Some(container)) => {
                match engine.resolve_container(database, container) {
                    Ok(found) => {
                        let name = found.link.container.to_string();
                        let is_by_name = name == container;
                        let scope = RoleScope::Container(found.link.database.to_string(), name);
                        Self { scope, is_by_name }
                    }
                    // An unknown container is authorized by its name: only callers with access may learn that it does
                    // not exist.
                    Err(_) => {
                        let scope = RoleScope::Container(database.to_owned(), container.to_owned());
                        Self { scope, is_by_name: true }
                    }
                }
            }
            (Some(database), None) => {
                let found = engine.resolve_database(database).map(|found| found.id.to_string());
                let name = found.unwrap_or_else(|_| database.to_owned());
                Self { is_by_name: name == database, scope: RoleScope::Database(name) }
            }
            _ => Self { scope: RoleScope::Account, is_by_name: true },
        }
    }
}

/// The check of one request.
#[derive(Debug)]
struct RoleCheck<'a> {
    roles: &'a RoleAssignments,
    caller: &'a BearerIdentity,
    target: RequestTarget,
}

impl<'a> RoleCheck<'a> {
    fn new(
        context: &AuthorizationContext<'a>,
        caller: &'a BearerIdentity,
        path: &RequestPath<'_>,
    ) -> Self {
        let target = RequestTarget::resolve(context.engine, path);
        Self { roles: context.role_assignments, caller, target }
    }

    fn principals(&self) -> Vec<&str> {
        let groups = self.caller.groups.iter().map(String::as_str);
        groups.chain([self.caller.object_id.as_str()]).collect()
    }

    fn allows(&self, action: DataAction) -> bool {
        self.roles.allow(&self.principals(), action, &self.target.scope)
    }

    fn require(&self, action: DataAction) -> ApiResult<()> {
        if self.allows(action) {
            return Ok(());
        }
        Err(self.forbidden(action))
    }

    fn forbidden(&self, action: DataAction) -> ApiError {
        let sub_status = match (action, self.target.is_by_name) {
            (DataAction::ReadMetadata, _) => 5301,
            (_, true) => 5302,
            (_, false) => 5303,
        };
        ApiError::forbidden(format!(
            "Request is blocked because principal [{}] does not have required RBAC permissions to perform action [{}] \
             on resource [{}]. {LEARN_MORE}.",
            self.caller.object_id,
            action.name(),
            self.target.scope
        ))
        .with_sub_status(sub_status)
    }
}
