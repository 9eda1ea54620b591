//! The kinds of operations that are counted separately, and their names in reports.

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
}

impl OperationKind {
    pub(crate) const ALL: [Self; 13] = [
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
        }
    }
}
