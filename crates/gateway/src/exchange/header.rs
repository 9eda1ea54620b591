//! Every header of the wire by one name.
//!
//! Owns the names. Does not own their meaning: whoever reads or writes one says so.

use hyper::header::HeaderName;

macro_rules! headers {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: HeaderName = HeaderName::from_static($text);)*
    };
}

headers! {
    /// Identifier of one request across logs; echoed.
    ACTIVITY_ID = "x-ms-activity-id";
    /// Whether a batch is all or nothing.
    BATCH_ATOMIC = "x-ms-cosmos-batch-atomic";
    /// Whether a batch that is not atomic goes on after a failure.
    BATCH_CONTINUE = "x-ms-cosmos-batch-continue-on-error";
    /// Consistency level of a read.
    CONSISTENCY_LEVEL = "x-ms-consistency-level";
    /// Resource id of the owner.
    CONTENT_PATH = "x-ms-content-path";
    /// Where a page starts, and where the next one does.
    CONTINUATION = "x-ms-continuation";
    /// Permission to ask all partitions.
    CROSS_PARTITION = "x-ms-documentdb-query-enablecrosspartition";
    /// When a request was signed.
    DATE = "x-ms-date";
    /// Upper bound of a part of a physical partition.
    END_EPK = "x-ms-end-epk";
    /// Whether the throughput of a container is enforced.
    ENFORCE_THROUGHPUT = "x-planisphere-enforce-throughput";
    /// Life of a resource token.
    EXPIRY_SECONDS = "x-ms-documentdb-expiry-seconds";
    /// A partition key to try on recorded traffic.
    TRY_PARTITION_KEY = "x-planisphere-try-partition-key";
    /// Asks why a request costs what it costs, and tells it as JSON; ours, not the service's.
    EXPLAIN_CHARGE = "x-planisphere-explain-charge";
    /// Version of the gateway.
    GATEWAY_VERSION = "x-ms-gatewayversion";
    /// How far an index follows its policy.
    INDEX_PROGRESS = "x-ms-documentdb-collection-index-transformation-progress";
    /// Which index terms a query used.
    INDEX_UTILIZATION = "x-ms-cosmos-index-utilization";
    /// Whether an item is indexed.
    INDEXING_DIRECTIVE = "x-ms-indexing-directive";
    /// Resource id the container must have.
    INTENDED_CONTAINER = "x-ms-cosmos-intended-collection-rid";
    /// Whether a POST is a batch.
    IS_BATCH = "x-ms-cosmos-is-batch-request";
    /// Whether a POST is a query.
    IS_QUERY = "x-ms-documentdb-isquery";
    /// The same, as one client spells it.
    IS_QUERY_OTHER = "x-ms-documentdb-query";
    /// Whether a POST asks for a plan.
    IS_QUERY_PLAN = "x-ms-cosmos-is-query-plan-request";
    /// Whether a POST may replace.
    IS_UPSERT = "x-ms-documentdb-is-upsert";
    /// Entries of a feed.
    ITEM_COUNT = "x-ms-item-count";
    /// Position of an item's last write.
    ITEM_LSN = "x-ms-item-lsn";
    /// The same, local to the region.
    ITEM_LOCAL_LSN = "x-ms-cosmos-item-llsn";
    /// Progress of lazy indexing, which there is none.
    LAZY_INDEX_PROGRESS = "x-ms-documentdb-collection-lazy-indexing-progress";
    /// Position of a physical partition, local to the region.
    LOCAL_LSN = "x-ms-cosmos-llsn";
    /// Position of a physical partition.
    LSN = "lsn";
    /// Bytes of an item at most.
    MAX_CONTENT_LENGTH = "x-ms-cosmos-max-content-length";
    /// Items of a page at most.
    MAX_ITEM_COUNT = "x-ms-max-item-count";
    /// Turns manual throughput into autoscale.
    MIGRATE_TO_AUTOSCALE = "x-ms-cosmos-migrate-offer-to-autopilot";
    /// Turns autoscale into manual throughput.
    MIGRATE_TO_MANUAL = "x-ms-cosmos-migrate-offer-to-manual-throughput";
    /// Least throughput of a container.
    MIN_THROUGHPUT = "x-ms-cosmos-min-throughput";
    /// Autoscale settings at creation.
    OFFER_AUTOSCALE = "x-ms-cosmos-offer-autopilot-settings";
    /// Whether a change of throughput is still under way.
    OFFER_PENDING = "x-ms-offer-replace-pending";
    /// Manual throughput at creation.
    OFFER_THROUGHPUT = "x-ms-offer-throughput";
    /// Names that lead to the owner.
    OWNER_FULL_NAME = "x-ms-alt-content-path";
    /// Partition key of the request.
    PARTITION_KEY = "x-ms-documentdb-partitionkey";
    /// Number of a physical partition.
    PARTITION_KEY_RANGE_ID = "x-ms-documentdb-partitionkeyrangeid";
    /// Triggers to run after a write.
    POST_TRIGGERS = "x-ms-documentdb-post-trigger-include";
    /// Triggers to run before a write.
    PRE_TRIGGERS = "x-ms-documentdb-pre-trigger-include";
    /// Asks for index metrics.
    POPULATE_INDEX_METRICS = "x-ms-cosmos-populateindexmetrics";
    /// Asks for index metrics in the newer form.
    POPULATE_INDEX_METRICS_V2 = "x-ms-cosmos-populateindexmetrics-v2";
    /// Asks for the statistics of partitions.
    POPULATE_PARTITION_STATISTICS = "x-ms-documentdb-populatepartitionstatistics";
    /// Asks for query metrics.
    POPULATE_QUERY_METRICS = "x-ms-documentdb-populatequerymetrics";
    /// Asks for quota and usage.
    POPULATE_QUOTA = "x-ms-documentdb-populatequotainfo";
    /// What a query execution was like.
    QUERY_EXECUTION_INFO = "x-ms-cosmos-query-execution-info";
    /// What a query cost inside.
    QUERY_METRICS = "x-ms-documentdb-query-metrics";
    /// What a client can merge.
    QUERY_FEATURES = "x-ms-cosmos-supported-query-features";
    /// What a request cost.
    REQUEST_CHARGE = "x-ms-request-charge";
    /// How long a request took.
    REQUEST_DURATION = "x-ms-request-duration-ms";
    /// What a container may hold.
    RESOURCE_QUOTA = "x-ms-resource-quota";
    /// What a container holds.
    RESOURCE_USAGE = "x-ms-resource-usage";
    /// How long to wait.
    RETRY_AFTER = "x-ms-retry-after-ms";
    /// Version of the resource shapes.
    SCHEMA_VERSION = "x-ms-schemaversion";
    /// Version of the service.
    SERVICE_VERSION = "x-ms-serviceversion";
    /// What a client has seen.
    SESSION_TOKEN = "x-ms-session-token";
    /// Whether a container shares the throughput of its database.
    SHARE_THROUGHPUT = "x-ms-share-throughput";
    /// Lower bound of a part of a physical partition.
    START_EPK = "x-ms-start-epk";
    /// The second number of a status pair.
    SUBSTATUS = "x-ms-substatus";
    /// Encodings of items a client can read.
    SUPPORTED_FORMATS = "x-ms-cosmos-supported-serialization-formats";
    /// How a change feed is asked for.
    A_IM = "a-im";
    /// The scheme a proxy was asked with.
    FORWARDED_PROTO = "x-forwarded-proto";
    /// Whether the items of a partition key are still being deleted.
    IS_DELETE_PENDING = "x-ms-cosmos-is-partition-key-delete-pending";
    /// Position that every region has.
    GLOBAL_COMMITTED_LSN = "x-ms-global-committed-lsn";
    /// Number of what holds a physical partition, for diagnostics.
    INTERNAL_PARTITION_ID = "x-ms-cosmos-internal-partition-id";
    /// The same, as it moves with splits.
    PHYSICAL_PARTITION_ID = "x-ms-cosmos-physical-partition-id";
    /// When this server last became what it is.
    LAST_STATE_CHANGE = "x-ms-last-state-change-utc";
    /// Regions to read from besides this one.
    NUMBER_OF_READ_REGIONS = "x-ms-number-of-read-regions";
    /// Asks for advice on a query.
    POPULATE_QUERY_ADVICE = "x-ms-cosmos-populatequeryadvice";
    /// Advice on a query.
    QUERY_ADVICE = "x-ms-cosmos-query-advice";
    /// Position that enough copies have.
    QUORUM_ACKED_LSN = "x-ms-quorum-acked-lsn";
    /// The same, local to the region.
    QUORUM_ACKED_LOCAL_LSN = "x-ms-cosmos-quorum-acked-llsn";
    /// Copies there are.
    REPLICA_SET_SIZE = "x-ms-current-replica-set-size";
    /// Running number of requests.
    TRANSPORT_REQUEST_ID = "x-ms-transport-request-id";
    /// Copies that must have a write.
    WRITE_QUORUM = "x-ms-current-write-quorum";
    /// Part a server plays for a physical partition.
    XP_ROLE = "x-ms-xp-role";
}
