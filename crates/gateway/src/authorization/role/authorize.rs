//! Whether the roles of a caller allow a request.
//!
//! Owns the question and the refusal, which names principal, action and place.

use engine::Engine;
use model::Json;

use super::action::{DataAction, Needed, needed};
use super::assignment::{RoleAssignments, Scope};
use crate::authorization::jwt::Claims;
use crate::exchange::{Failure, Outcome, Request};
use crate::route::{Path, Route};

const LEARN_MORE: &str = "Learn more: https://aka.ms/cosmos-native-rbac";

/// Refuses a request that no role of its caller allows; asked before the body is read.
pub(crate) fn authorize(
    engine: &Engine,
    roles: &RoleAssignments,
    caller: &Claims,
    request: &Request,
    path: &Path<'_>,
) -> Outcome<()> {
    let place = Place::of(engine, path);
    let question = Question { roles, caller, place: &place };
    match needed(request, path.route()) {
        Needed::One(action) if path.route() == Some(Route::Account) => {
            // Every client begins here, also one that may see a single container only.
            match roles.allow_somewhere(&question.principals(), action) {
                true => Ok(()),
                false => Err(question.refused(action)),
            }
        }
        Needed::One(action) => question.ask(action),
        // What its operations need is known later; who may do none of them need not send them.
        Needed::OfBatch => {
            let mut actions = DataAction::OF_ITEMS.into_iter();
            match actions.any(|action| question.allows(action)) {
                true => Ok(()),
                false => question.ask(DataAction::CreateItem),
            }
        }
        Needed::Key => Err(Failure::forbidden(format!(
            "The given request [{} /{}] cannot be authorized by AAD token in data plane. Use the account key. \
             {LEARN_MORE}.",
            request.method, path.raw
        ))
        .sub_status(5300)),
    }
}

/// Refuses a batch with an operation that no role of its caller allows.
pub(crate) fn authorize_batch(
    engine: &Engine,
    roles: &RoleAssignments,
    caller: &Claims,
    request: &Request,
    path: &Path<'_>,
) -> Outcome<()> {
    if needed(request, path.route()) != Needed::OfBatch {
        return Ok(());
    }
    let place = Place::of(engine, path);
    let question = Question { roles, caller, place: &place };
    // A body that is no list of operations is refused by whoever runs it.
    let body = Json::parse(&request.body).unwrap_or(Json::Null);
    for operation in body.as_array().unwrap_or_default() {
        let kind = operation.get("operationType").and_then(Json::as_str).unwrap_or_default();
        question.ask(match kind.to_ascii_lowercase().as_str() {
            "create" => DataAction::CreateItem,
            "upsert" => DataAction::UpsertItem,
            "read" => DataAction::ReadItem,
            "delete" => DataAction::DeleteItem,
            // Also whatever is not known: it will be refused by its name.
            _ => DataAction::ReplaceItem,
        })?;
    }
    Ok(())
}

/// Where a request goes, by names.
#[derive(Debug)]
struct Place {
    scope: Scope,
    is_by_name: bool,
}

impl Place {
    fn of(engine: &Engine, path: &Path<'_>) -> Self {
        let segment = |index: usize| path.segment(index);
        match (segment(1), segment(3).filter(|_| segment(2) == Some("colls"))) {
            (Some(database), Some(container)) => {
                match engine.resolve_container(database, container) {
                    Ok(found) => {
                        let name = found.link.container.to_string();
                        let is_by_name = name == container;
                        let scope = Scope::Container(found.link.database.to_string(), name);
                        Self { scope, is_by_name }
                    }
                    // Whether there is such a container is told only to those who may know.
                    Err(_) => {
                        let scope = Scope::Container(database.to_owned(), container.to_owned());
                        Self { scope, is_by_name: true }
                    }
                }
            }
            (Some(database), None) => {
                let found = engine.resolve_database(database).map(|found| found.id.to_string());
                let name = found.unwrap_or_else(|_| database.to_owned());
                Self { is_by_name: name == database, scope: Scope::Database(name) }
            }
            _ => Self { scope: Scope::Account, is_by_name: true },
        }
    }
}

#[derive(Debug)]
struct Question<'a> {
    roles: &'a RoleAssignments,
    caller: &'a Claims,
    place: &'a Place,
}

impl Question<'_> {
    fn principals(&self) -> Vec<&str> {
        let groups = self.caller.groups.iter().map(String::as_str);
        groups.chain([self.caller.object_id.as_str()]).collect()
    }

    fn allows(&self, action: DataAction) -> bool {
        self.roles.allow(&self.principals(), action, &self.place.scope)
    }

    fn ask(&self, action: DataAction) -> Outcome<()> {
        if self.allows(action) {
            return Ok(());
        }
        Err(self.refused(action))
    }

    fn refused(&self, action: DataAction) -> Failure {
        let sub_status = match (action, self.place.is_by_name) {
            (DataAction::ReadMetadata, _) => 5301,
            (_, true) => 5302,
            (_, false) => 5303,
        };
        Failure::forbidden(format!(
            "Request is blocked because principal [{}] does not have required RBAC permissions to perform action [{}] \
             on resource [{}]. {LEARN_MORE}.",
            self.caller.object_id,
            action.name(),
            self.place.scope
        ))
        .sub_status(sub_status)
    }
}
