//! The page that a caller asks for, as options of `client`.

use client::QueryPageOptions;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Cursors, PageLimits};
use crate::problem::HttpResult;

/// The query string of a list: `?limit=&cursor=`. `continuationToken` is an alias of `cursor`.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Maximum number of rows on the page.
    pub limit: Option<usize>,
    /// The cursor from the previous page.
    #[serde(alias = "continuationToken")]
    pub cursor: Option<String>,
}

impl PageQuery {
    /// The options of this page. `scope` is everything that must be the same on each page, such as route, caller and
    /// filters.
    ///
    /// # Errors
    /// 400 for a limit out of range or a cursor of another scope.
    pub fn options(
        &self,
        limits: PageLimits,
        cursors: &Cursors,
        scope: &[&str],
    ) -> HttpResult<QueryPageOptions> {
        let cursor = self.cursor.as_deref();
        let continuation = cursor.map(|cursor| cursors.open(scope, cursor)).transpose()?;
        let rows_max = Some(limits.rows(self.limit)?);
        Ok(QueryPageOptions { rows_max, continuation, ..QueryPageOptions::default() })
    }
}
