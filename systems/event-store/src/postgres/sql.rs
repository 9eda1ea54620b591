//! All statements that read or write data. Each has the tenant as `$1`; no other file of this provider writes one.
//!
//! Times go over as milliseconds and ids as text, so that no types beside those of the driver are needed.

macro_rules! event_columns {
    () => {
        "e.id::text, e.sortable_unique_id, e.event_type, e.event_version, e.payload::text, \
         e.tags::text, (extract(epoch FROM e.timestamp) * 1000)::bigint, e.causation_id, \
         e.correlation_id, e.executed_user"
    };
}

/// Whether an event matches a query, given as JSON; all events match if it is null.
macro_rules! matches_query {
    ($parameter:literal) => {
        concat!(
            "(",
            $parameter,
            "::text IS NULL OR EXISTS (\
               SELECT 1 FROM jsonb_array_elements(",
            $parameter,
            "::text::jsonb) AS item \
               WHERE (item->'types' = '[]'::jsonb OR item->'types' ? e.event_type) \
                 AND e.tags @> (item->'tags')))"
        )
    };
}

pub(super) const SET_TENANT: &str = "SELECT set_config('app.service_id', $1, true)";

pub(super) const LOCK_TENANT_SHARED: &str = "SELECT pg_advisory_xact_lock_shared($1::bigint)";
pub(super) const LOCK_TENANT: &str = "SELECT pg_advisory_xact_lock($1::bigint)";
/// In the order of the array.
pub(super) const LOCK_TAGS: &str =
    "SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS key";

pub(super) const EVENTS_BY_ID: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events e WHERE e.service_id = $1 AND e.id = ANY($2::text[]::uuid[])"
);

pub(super) const EVENTS: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events e WHERE e.service_id = $1 AND e.sortable_unique_id > $2 AND ",
    matches_query!("$3"),
    " ORDER BY e.sortable_unique_id LIMIT $4"
);

pub(super) const EVENTS_OF_TAGS: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events e WHERE e.service_id = $1 AND e.sortable_unique_id > $2 AND ",
    matches_query!("$3"),
    " AND e.id IN (SELECT t.event_id FROM tags t WHERE t.service_id = $1 AND t.tag = ANY($5::text[]) \
       AND t.sortable_unique_id > $2) ORDER BY e.sortable_unique_id LIMIT $4"
);

pub(super) const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

pub(super) const TAG_VERSIONS: &str = "SELECT tag, max(sortable_unique_id) FROM tags \
     WHERE service_id = $1 AND tag = ANY($2::text[]) GROUP BY tag";

/// A new event of a guarding tag that matches.
pub(super) const CONFLICT_IN_TAGS: &str = concat!(
    "SELECT e.id::text FROM unnest($3::text[], $4::text[]) AS guard(tag, version) \
     JOIN tags t ON t.service_id = $1 AND t.tag = guard.tag AND t.sortable_unique_id > guard.version \
     JOIN events e ON e.service_id = $1 AND e.id = t.event_id WHERE ",
    matches_query!("$2"),
    " LIMIT 1"
);

/// An event that matches and was not visible in the snapshot of the reader.
pub(super) const CONFLICT_BY_SNAPSHOT: &str = concat!(
    "SELECT e.id::text FROM events e WHERE e.service_id = $1 \
       AND e.transaction_id >= pg_snapshot_xmin($3::text::pg_snapshot) \
       AND NOT pg_visible_in_snapshot(e.transaction_id, $3::text::pg_snapshot) AND ",
    matches_query!("$2"),
    " LIMIT 1"
);

/// An event that matches after a position.
pub(super) const CONFLICT_AFTER: &str = concat!(
    "SELECT e.id::text FROM events e WHERE e.service_id = $1 AND e.sortable_unique_id > $3 AND ",
    matches_query!("$2"),
    " LIMIT 1"
);

pub(super) const INSERT_EVENTS: &str = "INSERT INTO events (service_id, id, sortable_unique_id, \
       event_type, event_version, payload, tags, timestamp, causation_id, correlation_id, executed_user) \
     SELECT $1, new.id::uuid, new.position, new.kind, new.version, new.payload::json, new.tags::jsonb, \
       to_timestamp($2::bigint / 1000.0), new.causation, new.correlation, new.executed \
     FROM unnest($3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[], \
       $10::text[], $11::text[]) \
       AS new(id, position, kind, version, payload, tags, causation, correlation, executed)";

pub(super) const INSERT_ROWS: &str = "INSERT INTO tags (service_id, tag, tag_group, event_type, \
       sortable_unique_id, event_id, created_at) \
     SELECT $1, new.tag, split_part(new.tag, ':', 1), new.kind, new.position, new.id::uuid, \
       to_timestamp(new.created / 1000.0) \
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) \
       AS new(tag, kind, position, id, created)";

pub(super) const NOTIFY: &str = "SELECT pg_notify('event_store', $1)";

pub(super) const ROWS: &str = "SELECT event_id::text, sortable_unique_id, event_type, \
       (extract(epoch FROM created_at) * 1000)::bigint FROM tags \
     WHERE service_id = $1 AND tag = $2 AND sortable_unique_id > $3 ORDER BY sortable_unique_id";

pub(super) const LAST_ROW: &str = "SELECT event_id::text, sortable_unique_id, event_type, \
       (extract(epoch FROM created_at) * 1000)::bigint FROM tags \
     WHERE service_id = $1 AND tag = $2 ORDER BY sortable_unique_id DESC LIMIT 1";

pub(super) const ALL_TAGS: &str = "SELECT tag, count(*), min(sortable_unique_id), \
       max(sortable_unique_id) FROM tags WHERE service_id = $1 AND ($2::text IS NULL OR tag_group = $2) \
     GROUP BY tag ORDER BY tag COLLATE \"C\"";

pub(super) const COUNT: &str =
    "SELECT count(*) FROM events WHERE service_id = $1 AND sortable_unique_id > $2";

pub(super) const LAST_ID: &str = "SELECT max(sortable_unique_id) FROM events WHERE service_id = $1";

/// Only events of transactions before the oldest one that is still running: no earlier one can appear any more.
pub(super) const FEED: &str = concat!(
    "SELECT ",
    event_columns!(),
    ", e.transaction_id::text \
     FROM events e WHERE e.service_id = $1 \
       AND e.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) \
       AND (e.transaction_id, e.sortable_unique_id) > ($2::text::xid8, $3) \
     ORDER BY e.transaction_id, e.sortable_unique_id LIMIT $4"
);

/// The oldest transaction that is still running, or the next one.
pub(super) const FEED_END: &str = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text";

macro_rules! state_columns {
    () => {
        "projector_name, projector_version, payload_type, last_sortable_unique_id, \
         safe_window_threshold, build_source, build_host, events_processed, original_size_bytes, \
         compressed_size_bytes, revision, (extract(epoch FROM created_at) * 1000)::bigint, \
         (extract(epoch FROM updated_at) * 1000)::bigint, state_data, offload_key, offload_provider"
    };
}

pub(super) const STATE: &str = concat!(
    "SELECT ",
    state_columns!(),
    " FROM multi_projection_states \
     WHERE service_id = $1 AND projector_name = $2 AND projector_version = $3"
);

pub(super) const STATES: &str = concat!(
    "SELECT ",
    state_columns!(),
    " FROM multi_projection_states \
     WHERE service_id = $1 AND ($2::text IS NULL OR projector_name = $2)"
);

pub(super) const SAVE_STATE: &str = "INSERT INTO multi_projection_states AS stored (service_id, \
       projector_name, projector_version, payload_type, last_sortable_unique_id, \
       safe_window_threshold, build_source, build_host, events_processed, original_size_bytes, \
       compressed_size_bytes, revision, created_at, updated_at, state_data, offload_key, \
       offload_provider, is_offloaded) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, to_timestamp($12::bigint / 1000.0), \
       to_timestamp($13::bigint / 1000.0), $14, $15::text, $16, $15::text IS NOT NULL) \
     ON CONFLICT (service_id, projector_name, projector_version) DO UPDATE SET \
       payload_type = excluded.payload_type, \
       last_sortable_unique_id = excluded.last_sortable_unique_id, \
       safe_window_threshold = excluded.safe_window_threshold, \
       build_source = excluded.build_source, build_host = excluded.build_host, \
       events_processed = excluded.events_processed, \
       original_size_bytes = excluded.original_size_bytes, \
       compressed_size_bytes = excluded.compressed_size_bytes, revision = stored.revision + 1, \
       updated_at = excluded.updated_at, state_data = excluded.state_data, \
       offload_key = excluded.offload_key, offload_provider = excluded.offload_provider, \
       is_offloaded = excluded.is_offloaded \
     WHERE $17::bigint IS NULL OR stored.revision = $17 RETURNING revision";

pub(super) const DELETE_STATE: &str = "DELETE FROM multi_projection_states \
     WHERE service_id = $1 AND projector_name = $2 AND projector_version = $3";

pub(super) const DROP_TENANT: [&str; 3] = [
    "DELETE FROM tags WHERE service_id = $1",
    "DELETE FROM multi_projection_states WHERE service_id = $1",
    "DELETE FROM events WHERE service_id = $1",
];

/// For operators, so it has no tenant.
pub(super) const TENANTS: &str = "SELECT service_id FROM events UNION \
     SELECT service_id FROM multi_projection_states ORDER BY 1";

pub(super) const TAG_TOTAL: &str =
    "SELECT count(*) FROM (SELECT DISTINCT service_id, tag FROM tags) AS one";

/// Rows that are missing beside their event; no append of ours leaves any.
pub(super) const MISSING_ROWS: &str = "SELECT count(*) FROM events e \
     CROSS JOIN LATERAL jsonb_array_elements_text(e.tags) AS named(tag) \
     WHERE NOT EXISTS (SELECT 1 FROM tags t WHERE t.service_id = e.service_id AND t.tag = named.tag \
       AND t.event_id = e.id)";

pub(super) const RESTORE_ROWS: &str = "INSERT INTO tags (service_id, tag, tag_group, event_type, \
       sortable_unique_id, event_id, created_at) \
     SELECT e.service_id, named.tag, split_part(named.tag, ':', 1), e.event_type, \
       e.sortable_unique_id, e.id, e.timestamp \
     FROM events e CROSS JOIN LATERAL jsonb_array_elements_text(e.tags) AS named(tag) \
     WHERE NOT EXISTS (SELECT 1 FROM tags t WHERE t.service_id = e.service_id AND t.tag = named.tag \
       AND t.event_id = e.id)";
