//! Sending a query: page by page, or all of its rows.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::answer::{Answer, SessionToken};
use crate::call::{Body, Part, Reply, Request, Trace};
use crate::error::{Error, Result};
use crate::resource::Container;

use super::Query;

/// Which page, and how much of it.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// Rows of a page at most; the account's default when absent. A page may hold fewer.
    pub rows_max: Option<usize>,
    /// The continuation of the page before.
    pub continuation: Option<String>,
    /// The query must see at least what this token has seen.
    pub session_token: Option<SessionToken>,
}

/// One page of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows; a page may be empty and still have a continuation.
    pub rows: Vec<T>,
    /// Where the next page starts; absent at the end. It belongs to this query, container and place.
    pub continuation: Option<String>,
}

impl Container {
    /// All rows of a query, page by page until the end.
    ///
    /// # Errors
    /// `BadRequest` for a query that is wrong, `Unexpected` for a row that is no `T`, `NotFound` for a missing
    /// container.
    pub async fn query<T: DeserializeOwned>(&self, query: &Query) -> Result<Answer<Vec<T>>> {
        self.count_fan_out(query);
        let request = self.request(query, PageOptions::default());
        let mut trace = Trace::begin(&request);
        let result = self.all_pages(request, &mut trace).await;
        trace.end(&result);
        result
    }

    async fn all_pages<T: DeserializeOwned>(
        &self,
        mut request: Request,
        trace: &mut Trace,
    ) -> Result<Answer<Vec<T>>> {
        let mut rows = Vec::new();
        let mut charge = 0.0;
        loop {
            let mut answer = page(self.account().send_within(&request, trace).await?)?;
            charge += answer.charge;
            rows.append(&mut answer.value.rows);
            match answer.value.continuation.take() {
                Some(token) => request.continue_from(token),
                None => return Ok(Answer { charge, ..answer.map(|_| rows) }),
            }
        }
    }

    /// One page of a query.
    ///
    /// # Errors
    /// Those of [`Container::query`]; `BadRequest` for a foreign continuation.
    pub async fn query_page<T: DeserializeOwned>(
        &self,
        query: &Query,
        options: PageOptions,
    ) -> Result<Answer<Page<T>>> {
        if options.continuation.is_none() {
            self.count_fan_out(query);
        }
        page(self.account().send(&self.request(query, options)).await?)
    }

    fn request(&self, query: &Query, page: PageOptions) -> Request {
        Request::Query {
            container: self.link(),
            text: query.query_text().clone(),
            part: query.part().clone(),
            page,
        }
    }

    fn count_fan_out(&self, query: &Query) {
        if let (Part::Container | Part::FeedRange(_), Some(reason)) = (query.part(), query.reason())
        {
            self.account().count_fan_out();
            tracing::info!(
                container = %self.path(),
                reason,
                query = query.query_text().text(),
                "query over all partitions"
            );
        }
    }
}

fn page<T: DeserializeOwned>(reply: Reply) -> Result<Answer<Page<T>>> {
    reply.answer(|body| match body {
        Body::Rows { rows, continuation } => {
            let rows = rows.iter().map(row).collect::<Result<_>>()?;
            Ok(Page { rows, continuation })
        }
        other => Err(other.unexpected("rows")),
    })
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

fn row<T: DeserializeOwned>(text: &Bytes) -> Result<T> {
    serde_json::from_slice(text).map_err(|error| {
        // Rows hold what no log may: only the id is repeated.
        let named = serde_json::from_slice::<Named>(text).ok();
        let row = named.map_or("a row".to_owned(), |named| format!("the row of id '{}'", named.id));
        let kind = std::any::type_name::<T>();
        Error::unexpected(format!("{row} is no {kind}")).with_source(error)
    })
}
