//! The tables, with the indexes a team would make for these questions, and every statement on them.
//!
//! Owns the SQL. Identifiers are numbers, which is less to write than ours.

/// A server whose every commit is durable, with as much memory for pages as the engine has for blocks.
pub(super) const SERVER: [&str; 4] = [
    "shared_buffers=256MB",
    "fsync=on",
    "synchronous_commit=on",
    // As many as call, and those the server keeps for itself.
    "max_connections=120",
];

pub(super) const TABLES: &str = "
CREATE TABLE events (
    id bigint PRIMARY KEY,
    user_id text NOT NULL,
    event_type text NOT NULL,
    category text NOT NULL,
    payload jsonb NOT NULL,
    status text NOT NULL,
    retry_count int NOT NULL DEFAULT 0,
    next_retry_at timestamptz,
    last_error text,
    dedupe_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    processed_at timestamptz,
    scheduled_at timestamptz,
    lease_owner text,
    lease_until timestamptz,
    reason text,
    notification_id bigint,
    deliveries jsonb
);
CREATE INDEX events_waiting ON events (created_at, id) WHERE status = 'PENDING';
CREATE INDEX events_claimed ON events (lease_until) WHERE status = 'PROCESSING';
CREATE INDEX events_failed ON events (next_retry_at) WHERE status = 'FAILED';
CREATE INDEX events_of_user ON events (user_id, created_at DESC);

CREATE TABLE notifications (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text NOT NULL,
    category text NOT NULL,
    event_type text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    deeplink text NOT NULL,
    target_id text,
    target_type text,
    read boolean NOT NULL DEFAULT false,
    read_at timestamptz,
    dismissed boolean NOT NULL DEFAULT false,
    dismissed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    count int NOT NULL DEFAULT 1,
    actors text[] NOT NULL,
    actor_name text,
    dedupe_key text,
    merged_event_ids bigint[] NOT NULL DEFAULT '{}',
    pushed boolean NOT NULL
);
CREATE INDEX notifications_of_user ON notifications (user_id, created_at DESC) WHERE NOT dismissed;
CREATE INDEX notifications_unread ON notifications (user_id) WHERE NOT read AND NOT dismissed;
CREATE INDEX notifications_by_key ON notifications (user_id, dedupe_key, created_at DESC);
CREATE INDEX notifications_pushed ON notifications (user_id, category, created_at) WHERE pushed;

CREATE TABLE preferences (
    user_id text PRIMARY KEY,
    timezone text NOT NULL,
    quiet_hours boolean[] NOT NULL,
    social boolean NOT NULL,
    news boolean NOT NULL,
    marketing boolean NOT NULL,
    locale text,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE devices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text NOT NULL,
    device_id text NOT NULL,
    push_token text NOT NULL UNIQUE,
    platform text NOT NULL,
    label text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    UNIQUE (user_id, device_id)
);
CREATE INDEX devices_active ON devices (user_id, last_seen_at DESC) WHERE revoked_at IS NULL;
";

pub(super) const MAKE_PERSON: &str = "INSERT INTO preferences \
     (user_id, timezone, quiet_hours, social, news, marketing) \
     VALUES ($1, 'UTC', $2, $3, true, $4)";
pub(super) const MAKE_DEVICE: &str = "INSERT INTO devices (user_id, device_id, push_token, platform, label) \
     VALUES ($1, $2, $3, $4, 'phone')";

pub(super) const ENQUEUE: &str = "INSERT INTO events (id, user_id, event_type, category, payload, status, dedupe_key) \
     VALUES ($1, $2, $3, $4, $5::text::jsonb, 'PENDING', $6)";

pub(super) const CLAIM: &str = "UPDATE events SET status = 'PROCESSING', lease_owner = $1, \
     lease_until = now() + interval '120 seconds', next_retry_at = NULL \
     WHERE id = (SELECT id FROM events WHERE status = 'PENDING' \
     AND (scheduled_at IS NULL OR scheduled_at <= now()) \
     ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED) \
     RETURNING id, user_id, event_type, category, dedupe_key, payload::text";

/// Two events of one user must not look for earlier ones at the same time.
pub(super) const ONE_AT_A_TIME: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

pub(super) const PREFERENCES: &str = "SELECT social, news, marketing, \
     quiet_hours[1 + extract(hour FROM now() AT TIME ZONE timezone)::int] \
     FROM preferences WHERE user_id = $1";

/// The window is that of our side, in minutes.
pub(super) const EARLIER: &str = "SELECT id, cardinality(merged_event_ids) FROM notifications \
     WHERE user_id = $1 AND dedupe_key = $2 AND created_at >= now() - $3::int * interval '1 minute' \
     ORDER BY created_at DESC LIMIT 1";

pub(super) const MERGE: &str = "UPDATE notifications SET count = count + 1, \
     merged_event_ids = merged_event_ids || $2::bigint, \
     actors = CASE WHEN $3 = ANY(actors) THEN actors ELSE actors || $3::text END, \
     read = read AND $3 = ANY(actors), title = $4, body = $5 WHERE id = $1";

pub(super) const DEVICES: &str = "SELECT device_id, push_token, platform FROM devices \
     WHERE user_id = $1 AND revoked_at IS NULL ORDER BY last_seen_at DESC";

pub(super) const PUSHED: &str = "SELECT count(*) FILTER (WHERE created_at > now() - interval '1 hour'), \
     count(*) FROM notifications WHERE user_id = $1 AND category = $2 AND pushed \
     AND created_at > now() - interval '1 day'";

pub(super) const LIST: &str = "INSERT INTO notifications \
     (user_id, category, event_type, title, body, deeplink, target_id, target_type, actors, \
     actor_name, dedupe_key, pushed) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'post', $8, $9, $10, $11) RETURNING id";

pub(super) const UNREAD: &str =
    "SELECT count(*) FROM notifications WHERE user_id = $1 AND NOT read AND NOT dismissed";

pub(super) const END: &str = "UPDATE events SET status = $2, reason = $3, notification_id = $4, \
     deliveries = $5::text::jsonb, processed_at = now(), lease_owner = NULL, lease_until = NULL \
     WHERE id = $1 AND lease_owner = $6";

pub(super) const OUTCOMES: &str =
    "SELECT status, reason, count(*) FROM events GROUP BY status, reason";
