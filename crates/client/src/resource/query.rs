//! Queries: page by page, or all rows.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::account::Trace;
use crate::error::{Error, Result};
use crate::query::{Page, Query, QueryPageOptions, QueryScope};
use crate::request::{BackendRequest, BackendResponse, ResponseBody};
use crate::response::AccountResponse;

use super::Container;

impl Container {
    /// Reads all rows of a query, page by page.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// use planisphere_client::Query;
    ///
    /// let query = Query::text("SELECT VALUE c.total FROM c WHERE c.total > @minimum")
    ///     .parameter("@minimum", 4)
    ///     .within(ann);
    /// assert_eq!(orders.query::<i64>(&query).await?.value, [5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadRequest` for an invalid query, `Unexpected` for a row that cannot be deserialized into `T`, `NotFound` for a
    /// missing container.
    pub async fn query<T: DeserializeOwned>(
        &self,
        query: &Query,
    ) -> Result<AccountResponse<Vec<T>>> {
        self.count_fan_out(query);
        let request = self.query_request(query, QueryPageOptions::default());
        let mut trace = Trace::begin(&request);
        let result = self.read_all_pages(request, &mut trace).await;
        trace.end(&result);
        result
    }

    async fn read_all_pages<T: DeserializeOwned>(
        &self,
        mut request: BackendRequest,
        trace: &mut Trace,
    ) -> Result<AccountResponse<Vec<T>>> {
        let mut rows = Vec::new();
        let mut charge = 0.0;
        loop {
            let mut response = page(self.account().send_within(&request, trace).await?)?;
            charge += response.charge;
            rows.append(&mut response.value.rows);
            match response.value.continuation.take() {
                Some(token) => request.continue_from(token),
                None => return Ok(AccountResponse { charge, ..response.map(|_| rows) }),
            }
        }
    }

    /// Reads one page of a query.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// use planisphere_client::{Query, QueryPageOptions};
    ///
    /// let query = Query::text("SELECT * FROM c").fan_out("a report over all customers");
    /// let options = QueryPageOptions { rows_max: Some(10), ..QueryPageOptions::default() };
    /// let page = orders.query_page::<serde_json::Value>(&query, options).await?.value;
    /// assert_eq!(page.rows.len(), 1);
    /// assert_eq!(page.continuation, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Container::query`]; `BadRequest` for a continuation of another query.
    pub async fn query_page<T: DeserializeOwned>(
        &self,
        query: &Query,
        options: QueryPageOptions,
    ) -> Result<AccountResponse<Page<T>>> {
        // One query is counted once, however many pages it has.
        if options.continuation.is_none() {
            self.count_fan_out(query);
        }
        page(self.account().send(&self.query_request(query, options)).await?)
    }

    fn query_request(&self, query: &Query, page: QueryPageOptions) -> BackendRequest {
        BackendRequest::Query {
            container: self.link(),
            text: query.query_text().clone(),
            scope: query.scope().clone(),
            page,
        }
    }

    fn count_fan_out(&self, query: &Query) {
        if let (QueryScope::Container | QueryScope::FeedRange(_), Some(reason)) =
            (query.scope(), query.reason())
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

fn page<T: DeserializeOwned>(response: BackendResponse) -> Result<AccountResponse<Page<T>>> {
    response.try_map(|body| match body {
        ResponseBody::Rows { rows, continuation } => {
            let rows = rows.iter().map(row).collect::<Result<_>>()?;
            Ok(Page { rows, continuation })
        }
        other => Err(other.unexpected("rows")),
    })
}

#[derive(Deserialize)]
struct RowId {
    id: String,
}

fn row<T: DeserializeOwned>(text: &Bytes) -> Result<T> {
    serde_json::from_slice(text).map_err(|error| {
        // Rows may contain personal data, which must not be logged. Only the id is part of the message.
        let id = serde_json::from_slice::<RowId>(text).ok();
        let row = id.map_or("a row".to_owned(), |row| format!("the row of id '{}'", row.id));
        let kind = std::any::type_name::<T>();
        Error::unexpected(format!("{row} is no {kind}")).caused_by(&error)
    })
}
