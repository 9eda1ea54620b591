//! Rejects queries that call user-defined functions.
//!
//! A function that the container does not have is an error in the query. A function that it has is stored but cannot be
//! run, because the engine has no JavaScript runtime.

use ::query::{BoundQuery, EvaluationError};

use super::error::evaluation_failed;
use crate::catalog::{AttachedKind, Container};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};

impl Engine {
    /// Rejects a query that calls user-defined functions, before anything is read. Names are case-sensitive.
    pub(super) async fn reject_user_functions(
        &self,
        container: &Container,
        bound: &BoundQuery,
    ) -> Result<()> {
        let catalog = self.core.catalog.lock().await;
        for name in &bound.user_functions {
            let kind = AttachedKind::UserDefinedFunction;
            if catalog.attached(&container.identity.rid, kind, name).await?.is_none() {
                return Err(evaluation_failed(&EvaluationError::UnknownUserFunction(name.clone())));
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
