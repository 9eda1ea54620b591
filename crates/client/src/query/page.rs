//! Pages of a query.
//!
//! Owns the options and the result of one page. Does not own sending it: see `resource`.

use crate::response::ClientSessionToken;

/// Which page to read, and how many rows.
#[derive(Clone, Debug, Default)]
pub struct QueryPageOptions {
    /// Maximum number of rows; the account's default when absent. A page may have fewer.
    pub rows_max: Option<usize>,
    /// The continuation of the previous page.
    pub continuation: Option<String>,
    /// The query must see at least the writes that this token has seen.
    pub session_token: Option<ClientSessionToken>,
}

/// One page of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows. An empty page may still have a continuation.
    pub rows: Vec<T>,
    /// Where the next page starts; absent at the end. It is valid only for this query, container and account.
    pub continuation: Option<String>,
}
