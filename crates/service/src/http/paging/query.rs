//! The page a caller asks for, as `client` takes it.

use client::QueryPageOptions;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Cursors, PageLimits};
use crate::http::problem::Outcome;

/// `?limit=&cursor=` of a list; `continuationToken` is another name for the cursor.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Rows of the page.
    pub limit: Option<usize>,
    /// Where the page before ended.
    #[serde(alias = "continuationToken")]
    pub cursor: Option<String>,
}

impl PageQuery {
    /// The page of a question: everything that must be the same on each page, as route, caller and filters.
    ///
    /// # Errors
    /// 400 for a limit out of range or a cursor of another question.
    pub fn options(
        &self,
        limits: PageLimits,
        cursors: &Cursors,
        question: &[&str],
    ) -> Outcome<QueryPageOptions> {
        let cursor = self.cursor.as_deref();
        let continuation = cursor.map(|cursor| cursors.open(question, cursor)).transpose()?;
        let rows_max = Some(limits.rows(self.limit)?);
        Ok(QueryPageOptions { rows_max, continuation, ..QueryPageOptions::default() })
    }
}
