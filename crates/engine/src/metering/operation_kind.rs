//! The kinds of operations that are counted separately, their names in reports, and what the counters need to know of
//! a request.

use model::TimestampMs;

/// What a request did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Create,
    Read,
    Replace,
    Upsert,
    Patch,
    Delete,
    Batch,
    Query,
    List,
    ReadMany,
    ChangeFeed,
    DeletePartition,
    Expiry,
    Procedure,
}

/// A request for admission and counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeteredRequest {
    pub(crate) kind: OperationKind,
    pub(crate) now: TimestampMs,
    /// Whether it is part of the usage. It is charged and throttled either way.
    pub(crate) is_counted: bool,
}

impl OperationKind {
    pub(crate) const ALL: [Self; 14] = [
        Self::Create,
        Self::Read,
        Self::Replace,
        Self::Upsert,
        Self::Patch,
        Self::Delete,
        Self::Batch,
        Self::Query,
        Self::List,
        Self::ReadMany,
        Self::ChangeFeed,
        Self::DeletePartition,
        Self::Expiry,
        Self::Procedure,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
            Self::Replace => "replace",
            Self::Upsert => "upsert",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::Batch => "batch",
            Self::Query => "query",
            Self::List => "list",
            Self::ReadMany => "read many",
            Self::ChangeFeed => "change feed",
            Self::DeletePartition => "delete by partition key",
            Self::Expiry => "time to live",
            Self::Procedure => "stored procedure",
        }
    }
}
