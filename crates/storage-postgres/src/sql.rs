//! The statements of a store, with the name of its schema.
//!
//! Owns their texts. Does not own their parameters: see `read` and `commit`. Every reference to a table has its own
//! condition on the shard, so that Citus sends the statement to one worker.

use crate::settings::Distribution;

/// Keys of more bytes than an index entry can hold are in a table of their own.
pub(crate) const KEY_BYTES_MAX: usize = 2_000;
/// How many of their first bytes order long keys; all of them are longer.
pub(crate) const HEAD_BYTES: usize = 1_000;

/// The texts of the statements.
#[derive(Debug)]
pub(crate) struct SqlTexts {
    pub(crate) get: String,
    pub(crate) get_long: String,
    pub(crate) get_many: String,
    pub(crate) get_many_long: String,
    pub(crate) scan: ScanTexts,
    pub(crate) scan_long: ScanTexts,
    pub(crate) last_stamp: String,
    pub(crate) commit: String,
    pub(crate) raise_fence: String,
    pub(crate) next_fence: String,
    pub(crate) lock_owner: String,
    pub(crate) renew: String,
    pub(crate) release: String,
    pub(crate) store_bytes: String,
    pub(crate) touch: String,
}

/// One text for each direction, with an upper bound and without.
#[derive(Debug)]
pub(crate) struct ScanTexts {
    pub(crate) forward: [String; 2],
    pub(crate) backward: [String; 2],
}

impl SqlTexts {
    pub(crate) fn new(schema: &str, distribution: Distribution) -> Self {
        let size = match distribution {
            Distribution::OneServer => "pg_total_relation_size",
            Distribution::Citus => "citus_total_relation_size",
        };
        let long_match = |key: &str| {
            format!("head = substring({key} FROM 1 FOR {HEAD_BYTES}) AND digest = sha256({key})")
        };
        Self {
            get: format!(
                "SELECT value FROM {schema}.entry WHERE shard = $1 AND space = $2 AND key = $3"
            ),
            get_long: format!(
                "SELECT value FROM {schema}.long_entry WHERE shard = $1 AND space = $2 AND {}",
                long_match("$3::bytea")
            ),
            get_many: format!(
                "SELECT k.number, e.value FROM unnest($3::bytea[]) WITH ORDINALITY AS k(key, number), LATERAL ( \
                   SELECT value FROM {schema}.entry WHERE shard = $1 AND space = $2 AND key = k.key LIMIT 1) e"
            ),
            get_many_long: format!(
                "SELECT k.number, e.value FROM unnest($3::bytea[]) WITH ORDINALITY AS k(key, number), LATERAL ( \
                   SELECT value FROM {schema}.entry WHERE shard = $1 AND space = $2 AND key = k.key \
                   UNION ALL \
                   SELECT value FROM {schema}.long_entry WHERE shard = $1 AND space = $2 AND {} LIMIT 1) e",
                long_match("k.key")
            ),
            scan: ScanTexts::new(|direction, has_upper| scan(schema, direction, has_upper)),
            scan_long: ScanTexts::new(|direction, has_upper| {
                scan_long(schema, direction, has_upper)
            }),
            last_stamp: format!("SELECT stamp FROM {schema}.shard WHERE shard = $1"),
            commit: format!(
                "SELECT {schema}.commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
            ),
            raise_fence: format!(
                "INSERT INTO {schema}.shard (shard, stamp, fence) VALUES ($1, 0, $2) \
                 ON CONFLICT (shard) DO UPDATE SET fence = EXCLUDED.fence RETURNING stamp"
            ),
            lock_owner: format!("SELECT 1 FROM {schema}.owner WHERE fence = $1 FOR SHARE"),
            next_fence: format!("SELECT nextval('{schema}.fence_numbers')"),
            release: format!(
                "UPDATE {schema}.owner SET holder = '', address = '', renewed_at = '-infinity' WHERE fence = $1"
            ),
            // Not the time of the clock: Citus takes no volatile function here. The start of the statement is
            // earlier, which only shortens the lease.
            renew: format!("UPDATE {schema}.owner SET renewed_at = now() WHERE fence = $1"),
            store_bytes: format!(
                "SELECT ({size}('{schema}.entry') + {size}('{schema}.long_entry') + {size}('{schema}.shard'))::bigint"
            ),
            touch: format!("UPDATE {schema}.format SET product = product"),
        }
    }
}

impl ScanTexts {
    fn new(text: impl Fn(&str, bool) -> String) -> Self {
        let both = |direction: &str| [text(direction, false), text(direction, true)];
        Self { forward: both("ASC"), backward: both("DESC") }
    }
}

/// A page of ordinary keys: at most `$4` entries, and none that begins after `$5` bytes. `octet_length` reads the
/// length of a large value without the value. One more row, of nulls, says that the space has long keys as well.
fn scan(schema: &str, direction: &str, has_upper: bool) -> String {
    let upper = if has_upper { "AND key < $6" } else { "" };
    format!(
        "SELECT key, value FROM ( \
           SELECT key, value, {bytes_before} AS bytes_before FROM {schema}.entry \
             WHERE shard = $1 AND space = $2 AND key >= $3 {upper} ORDER BY key {direction} LIMIT $4) page \
           WHERE bytes_before IS NULL OR bytes_before < $5 \
         UNION ALL SELECT NULL, NULL \
           WHERE EXISTS (SELECT 1 FROM {schema}.long_entry WHERE shard = $1 AND space = $2)",
        bytes_before = bytes_before(direction)
    )
}

/// A page of keys of both tables.
fn scan_long(schema: &str, direction: &str, has_upper: bool) -> String {
    let upper = if has_upper { "AND key < $6" } else { "" };
    let head_upper = if has_upper {
        format!("AND head <= substring($6::bytea FROM 1 FOR {HEAD_BYTES})")
    } else {
        String::new()
    };
    format!(
        "SELECT key, value FROM ( \
           SELECT key, value, {bytes_before} AS bytes_before FROM ( \
             (SELECT key, value FROM {schema}.entry \
               WHERE shard = $1 AND space = $2 AND key >= $3 {upper} ORDER BY key {direction} LIMIT $4) \
             UNION ALL \
             (SELECT key, value FROM {schema}.long_entry \
               WHERE shard = $1 AND space = $2 AND head >= substring($3::bytea FROM 1 FOR {HEAD_BYTES}) \
                 {head_upper} AND key >= $3 {upper} ORDER BY head {direction}, key {direction} LIMIT $4) \
           ) entries ORDER BY key {direction} LIMIT $4) page \
         WHERE bytes_before IS NULL OR bytes_before < $5 ORDER BY key {direction}",
        bytes_before = bytes_before(direction)
    )
}

fn bytes_before(direction: &str) -> String {
    format!(
        "sum(octet_length(key) + octet_length(value)) \
         OVER (ORDER BY key {direction} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
    )
}
