//! Queries that call user-defined functions.
//!
//! Owns the refusal, before anything is read: a function that the container does not have is a mistake of the query;
//! one that it has is stored and cannot be run, because nothing here runs its language.

use ::query::{BoundQuery, EvaluationError};

use super::refusal::failed;
use crate::catalog::{AttachedKind, Container};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};

impl Engine {
    /// Refuses a query that calls user-defined functions. Names are case-sensitive.
    pub(super) async fn refuse_user_functions(
        &self,
        container: &Container,
        bound: &BoundQuery,
    ) -> Result<()> {
        let catalog = self.core.catalog.lock().await;
        for name in &bound.user_functions {
            let kind = AttachedKind::UserDefinedFunction;
            if catalog.attached(&container.identity.rid, kind, name).await?.is_none() {
                return Err(failed(&EvaluationError::UnknownUserFunction(name.clone())));
            }
        }
        let names: Vec<String> =
            bound.user_functions.iter().map(|name| format!("'{name}'")).collect();
        Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "The query calls the user-defined function {}, which is stored but cannot be run: user-defined \
                 functions are not supported yet. Write what it does into the query.",
                names.join(", ")
            ),
        ))
    }
}
