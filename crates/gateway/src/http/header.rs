//! The names of all headers of the API.
//!
//! Owns the names, and the filter that tells which of them a request may have. Their meaning belongs to the code that
//! reads or writes them.

use hyper::HeaderMap;
use hyper::header::HeaderName;

macro_rules! headers {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: HeaderName = HeaderName::from_static($text);)*
    };
}

headers! {
    /// Identifier of one request across logs. Repeated in the response.
    ACTIVITY_ID = "x-ms-activity-id";
    /// Whether a batch is atomic.
    BATCH_ATOMIC = "x-ms-cosmos-batch-atomic";
    /// Whether a bulk request continues after a failed operation.
    BATCH_CONTINUE = "x-ms-cosmos-batch-continue-on-error";
    /// The form of the entries of a change feed.
    CHANGE_FEED_WIRE_FORMAT = "x-ms-cosmos-changefeed-wire-format-version";
    /// Consistency level of a read.
    CONSISTENCY_LEVEL = "x-ms-consistency-level";
    /// Resource id of the owner.
    CONTENT_PATH = "x-ms-content-path";
    /// The continuation token of this page, and in the response that of the next one.
    CONTINUATION = "x-ms-continuation";
    /// Whether a query may read all partitions.
    CROSS_PARTITION = "x-ms-documentdb-query-enablecrosspartition";
    /// When a request was signed.
    DATE = "x-ms-date";
    /// Upper bound of a range of effective partition keys.
    END_EPK = "x-ms-end-epk";
    /// Whether the throughput of a container is enforced.
    ENFORCE_THROUGHPUT = "x-planisphere-enforce-throughput";
    /// Whether items are returned without `_self` and `_attachments`.
    EXCLUDE_SYSTEM_PROPERTIES = "x-ms-exclude-system-properties";
    /// Lifetime of a resource token.
    EXPIRY_SECONDS = "x-ms-documentdb-expiry-seconds";
    /// A candidate partition key for the usage report.
    TRY_PARTITION_KEY = "x-planisphere-try-partition-key";
    /// Asks for an explanation of the request charge; in the response, the explanation as JSON. Not part of the
    /// service.
    EXPLAIN_CHARGE = "x-planisphere-explain-charge";
    /// Lists only requests after this number.
    AFTER_NUMBER = "x-planisphere-after";
    /// The token of a session of the explorer, which only its own pages can read.
    SESSION_CSRF = "x-planisphere-csrf";
    /// Keeps only the items with this id.
    ITEM_ID = "x-planisphere-item-id";
    /// Whether the server merges a query over all partitions, whatever its setting is.
    MERGE_PARTITIONS = "x-planisphere-merge-partitions";
    /// Whether a recorded request is shown with its values.
    SHOW_VALUES = "x-planisphere-show-values";
    /// Version of the gateway.
    GATEWAY_VERSION = "x-ms-gatewayversion";
    /// How much of the index follows the current policy, in percent.
    INDEX_PROGRESS = "x-ms-documentdb-collection-index-transformation-progress";
    /// Which index terms a query used.
    INDEX_UTILIZATION = "x-ms-cosmos-index-utilization";
    /// Whether the item of a write is indexed.
    INDEXING_DIRECTIVE = "x-ms-indexing-directive";
    /// Resource id that the container must have.
    INTENDED_CONTAINER = "x-ms-cosmos-intended-collection-rid";
    /// Whether a POST is a batch.
    IS_BATCH = "x-ms-cosmos-is-batch-request";
    /// Whether a POST is a query.
    IS_QUERY = "x-ms-documentdb-isquery";
    /// The same, in the spelling of one client.
    IS_QUERY_OTHER = "x-ms-documentdb-query";
    /// Whether a POST asks for a plan.
    IS_QUERY_PLAN = "x-ms-cosmos-is-query-plan-request";
    /// Whether a POST is an upsert.
    IS_UPSERT = "x-ms-documentdb-is-upsert";
    /// Number of entries of a feed.
    ITEM_COUNT = "x-ms-item-count";
    /// Lsn of the last write of an item.
    ITEM_LSN = "x-ms-item-lsn";
    /// The same, local to the region.
    ITEM_LOCAL_LSN = "x-ms-cosmos-item-llsn";
    /// Lsn of a physical partition in this region.
    LOCAL_LSN = "x-ms-cosmos-llsn";
    /// Lsn of a physical partition.
    LSN = "lsn";
    /// Maximum size of an item, in bytes.
    MAX_CONTENT_LENGTH = "x-ms-cosmos-max-content-length";
    /// Maximum number of items of a page.
    MAX_ITEM_COUNT = "x-ms-max-item-count";
    /// Turns manual throughput into autoscale.
    MIGRATE_TO_AUTOSCALE = "x-ms-cosmos-migrate-offer-to-autopilot";
    /// Turns autoscale into manual throughput.
    MIGRATE_TO_MANUAL = "x-ms-cosmos-migrate-offer-to-manual-throughput";
    /// Minimum throughput of a container.
    MIN_THROUGHPUT = "x-ms-cosmos-min-throughput";
    /// Autoscale settings at creation.
    OFFER_AUTOSCALE = "x-ms-cosmos-offer-autopilot-settings";
    /// Whether a change of throughput is still in progress.
    OFFER_PENDING = "x-ms-offer-replace-pending";
    /// Manual throughput at creation.
    OFFER_THROUGHPUT = "x-ms-offer-throughput";
    /// Path of the owner, by names.
    OWNER_FULL_NAME = "x-ms-alt-content-path";
    /// Partition key of the request.
    PARTITION_KEY = "x-ms-documentdb-partitionkey";
    /// Number of a physical partition.
    PARTITION_KEY_RANGE_ID = "x-ms-documentdb-partitionkeyrangeid";
    /// The trace of the caller (W3C trace context).
    TRACE_PARENT = "traceparent";
    /// Triggers to run after a write.
    POST_TRIGGERS = "x-ms-documentdb-post-trigger-include";
    /// Asks for the items before their changes in a change feed of all versions. Not part of the service, which sends
    /// them only for containers that its operators have enabled.
    PREVIOUS_IMAGES = "x-planisphere-previous-images";
    /// Triggers to run before a write.
    PRE_TRIGGERS = "x-ms-documentdb-pre-trigger-include";
    /// Asks for the log of a stored procedure.
    SCRIPT_LOGGING = "x-ms-documentdb-script-enable-logging";
    /// The log of a stored procedure, percent-encoded.
    SCRIPT_LOG = "x-ms-documentdb-script-log-results";
    /// Asks for index metrics.
    POPULATE_INDEX_METRICS = "x-ms-cosmos-populateindexmetrics";
    /// Asks for index metrics in the newer form.
    POPULATE_INDEX_METRICS_V2 = "x-ms-cosmos-populateindexmetrics-v2";
    /// Asks for the statistics of partitions.
    POPULATE_PARTITION_STATISTICS = "x-ms-documentdb-populatepartitionstatistics";
    /// Asks for the physical partitions and the minimum throughput in an offer.
    POPULATE_THROUGHPUT_INFO = "x-ms-documentdb-populatecollectionthroughputinfo";
    /// Asks for query metrics.
    POPULATE_QUERY_METRICS = "x-ms-documentdb-populatequerymetrics";
    /// Asks for quota and usage.
    POPULATE_QUOTA = "x-ms-documentdb-populatequotainfo";
    /// Details of the execution of a query.
    QUERY_EXECUTION_INFO = "x-ms-cosmos-query-execution-info";
    /// Metrics of a query.
    QUERY_METRICS = "x-ms-documentdb-query-metrics";
    /// The query features that a client supports when it merges results.
    QUERY_FEATURES = "x-ms-cosmos-supported-query-features";
    /// Charge of a request, in request units.
    REQUEST_CHARGE = "x-ms-request-charge";
    /// How long a request took.
    REQUEST_DURATION = "x-ms-request-duration-ms";
    /// Quota of a container.
    RESOURCE_QUOTA = "x-ms-resource-quota";
    /// Usage of a container.
    RESOURCE_USAGE = "x-ms-resource-usage";
    /// How long to wait before a retry, in milliseconds.
    RETRY_AFTER = "x-ms-retry-after-ms";
    /// Version of the format of resources.
    SCHEMA_VERSION = "x-ms-schemaversion";
    /// Version of the service.
    SERVICE_VERSION = "x-ms-serviceversion";
    /// The session token.
    SESSION_TOKEN = "x-ms-session-token";
    /// Whether a container shares the throughput of its database.
    SHARE_THROUGHPUT = "x-ms-share-throughput";
    /// Lower bound of a range of effective partition keys.
    START_EPK = "x-ms-start-epk";
    /// The sub-status.
    SUBSTATUS = "x-ms-substatus";
    /// The formats of items that a client can read.
    SUPPORTED_FORMATS = "x-ms-cosmos-supported-serialization-formats";
    /// The mode of a change feed.
    A_IM = "a-im";
    /// The scheme of the request to the proxy in front of this server.
    FORWARDED_PROTO = "x-forwarded-proto";
    /// Whether the items of a partition key are still being deleted.
    IS_DELETE_PENDING = "x-ms-cosmos-is-partition-key-delete-pending";
    /// The lsn that every region has reached.
    GLOBAL_COMMITTED_LSN = "x-ms-global-committed-lsn";
    /// UUID of a physical partition, for diagnostics.
    INTERNAL_PARTITION_ID = "x-ms-cosmos-internal-partition-id";
    /// Another UUID of a physical partition, for diagnostics.
    PHYSICAL_PARTITION_ID = "x-ms-cosmos-physical-partition-id";
    /// When this server started.
    LAST_STATE_CHANGE = "x-ms-last-state-change-utc";
    /// Number of other regions for reads.
    NUMBER_OF_READ_REGIONS = "x-ms-number-of-read-regions";
    /// Asks for advice on a query.
    POPULATE_QUERY_ADVICE = "x-ms-cosmos-populatequeryadvice";
    /// Advice on a query.
    QUERY_ADVICE = "x-ms-cosmos-query-advice";
    /// The lsn that a quorum of replicas has acknowledged.
    QUORUM_ACKED_LSN = "x-ms-quorum-acked-lsn";
    /// The same, local to the region.
    QUORUM_ACKED_LOCAL_LSN = "x-ms-cosmos-quorum-acked-llsn";
    /// Number of replicas.
    REPLICA_SET_SIZE = "x-ms-current-replica-set-size";
    /// Sequence number of the request.
    TRANSPORT_REQUEST_ID = "x-ms-transport-request-id";
    /// Version of the API that a client uses.
    VERSION = "x-ms-version";
    /// Number of replicas that must acknowledge a write.
    WRITE_QUORUM = "x-ms-current-write-quorum";
    /// Role of the replica that served the request.
    XP_ROLE = "x-ms-xp-role";
}

/// A Bloom filter of the names of some headers, with one hash. A request is asked for dozens of headers and has few of
/// them; the filter answers most of these look-ups without hashing a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameFilter(u64);

impl NameFilter {
    pub(crate) fn new(headers: &HeaderMap) -> Self {
        Self(headers.keys().fold(0, |filter, name| filter | bit(name)))
    }

    /// Whether a header may be present. False is certain.
    #[inline]
    pub(crate) fn may_contain(self, name: &HeaderName) -> bool {
        self.0 & bit(name) != 0
    }
}

/// The bit of a name in the filter. Several names share a bit.
fn bit(name: &HeaderName) -> u64 {
    let text = name.as_str().as_bytes();
    let last = text.last().copied().unwrap_or_default();
    // Length and last byte tell the names of the API apart well enough, and cost nothing compared with a hash.
    1 << ((text.len() ^ usize::from(last)) % 64)
}
