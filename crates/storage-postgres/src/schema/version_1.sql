CREATE TABLE {schema}.shard (
  shard int NOT NULL PRIMARY KEY,
  stamp bigint NOT NULL,
  fence bigint NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE {schema}.entry (
  shard int NOT NULL,
  space smallint NOT NULL,
  key bytea NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (shard, space, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Keys that an index cannot hold: their first bytes order them, their digest identifies them.
CREATE TABLE {schema}.long_entry (
  shard int NOT NULL,
  space smallint NOT NULL,
  head bytea NOT NULL,
  digest bytea NOT NULL,
  key bytea NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (shard, space, head, digest)
);

CREATE SEQUENCE {schema}.fence_numbers;

CREATE TABLE {schema}.owner (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  fence bigint NOT NULL,
  holder text NOT NULL,
  address text NOT NULL,
  renewed_at timestamptz NOT NULL,
  lease_ms bigint NOT NULL
);

CREATE FUNCTION {schema}.commit(
  p_shard int, p_fence bigint, p_above bigint[],
  p_guard_space smallint[], p_guard_key bytea[], p_guard_kind smallint[], p_guard_value bytea[],
  p_put_set int[], p_put_space smallint[], p_put_key bytea[], p_put_value bytea[],
  p_put_key_at int[], p_put_value_at int[],
  p_remove_space smallint[], p_remove_key bytea[],
  p_has_long boolean
) RETURNS bigint[] LANGUAGE plpgsql AS $function$
DECLARE
  v_last bigint;
  v_fence bigint;
  v_failed bigint;
  v_above bigint;
  v_stamps bigint[] := '{}';
  v_removed record;
BEGIN
  -- The lock comes first: every statement below sees what the commit before has left.
  SELECT s.stamp, s.fence INTO v_last, v_fence FROM {schema}.shard s WHERE s.shard = p_shard FOR UPDATE;
  IF NOT FOUND THEN
    -- A new shard has no fence of its own yet; that of the owner decides. Locked, so that it cannot change before this
    -- commit is visible to the one who changes it.
    SELECT o.fence INTO v_fence FROM {schema}.owner o FOR SHARE;
    INSERT INTO {schema}.shard (shard, stamp, fence) VALUES (p_shard, 0, coalesce(v_fence, 0))
      ON CONFLICT (shard) DO NOTHING;
    SELECT s.stamp, s.fence INTO v_last, v_fence FROM {schema}.shard s WHERE s.shard = p_shard FOR UPDATE;
  END IF;
  IF p_fence < v_fence THEN
    RETURN ARRAY[-1, v_fence];
  END IF;

  IF cardinality(p_guard_key) > 0 THEN
    IF p_has_long THEN
      SELECT min(g.number) INTO v_failed
        FROM unnest(p_guard_space, p_guard_key, p_guard_kind, p_guard_value)
          WITH ORDINALITY AS g(space, key, kind, value, number)
        LEFT JOIN LATERAL (
          SELECT e.value FROM {schema}.entry e
            WHERE e.shard = p_shard AND e.space = g.space AND e.key = g.key
          UNION ALL
          SELECT l.value FROM {schema}.long_entry l
            WHERE l.shard = p_shard AND l.space = g.space
              AND l.head = substring(g.key FROM 1 FOR {head_bytes}) AND l.digest = sha256(g.key)
          LIMIT 1
        ) stored ON true
        WHERE CASE g.kind WHEN 0 THEN stored.value IS NOT NULL WHEN 1 THEN stored.value IS NULL
          ELSE stored.value IS DISTINCT FROM g.value END;
    ELSE
      SELECT min(g.number) INTO v_failed
        FROM unnest(p_guard_space, p_guard_key, p_guard_kind, p_guard_value)
          WITH ORDINALITY AS g(space, key, kind, value, number)
        -- The limit makes it a look-up for each guard, whatever the planner thinks of an empty table.
        LEFT JOIN LATERAL (
          SELECT e.value FROM {schema}.entry e
            WHERE e.shard = p_shard AND e.space = g.space AND e.key = g.key LIMIT 1
        ) stored ON true
        WHERE CASE g.kind WHEN 0 THEN stored.value IS NOT NULL WHEN 1 THEN stored.value IS NULL
          ELSE stored.value IS DISTINCT FROM g.value END;
    END IF;
    IF v_failed IS NOT NULL THEN
      RETURN ARRAY[-2, v_failed];
    END IF;
  END IF;

  FOREACH v_above IN ARRAY p_above LOOP
    v_last := greatest(v_last, v_above) + 1;
    v_stamps := v_stamps || v_last;
  END LOOP;
  UPDATE {schema}.shard s SET stamp = v_last, fence = p_fence WHERE s.shard = p_shard;

  IF p_has_long THEN
    INSERT INTO {schema}.long_entry (shard, space, head, digest, key, value)
      SELECT p_shard, w.space, substring(w.key FROM 1 FOR {head_bytes}), sha256(w.key), w.key, w.value
        FROM (
          SELECT p.space,
            CASE WHEN p.key_at IS NULL THEN p.key
              ELSE overlay(p.key PLACING int8send(v_stamps[p.set_number]) FROM p.key_at + 1 FOR 8) END AS key,
            CASE WHEN p.value_at IS NULL THEN p.value
              ELSE overlay(p.value PLACING int8send(v_stamps[p.set_number]) FROM p.value_at + 1 FOR 8) END AS value
          FROM unnest(p_put_set, p_put_space, p_put_key, p_put_value, p_put_key_at, p_put_value_at)
            AS p(set_number, space, key, value, key_at, value_at)
          WHERE octet_length(p.key) > {key_bytes_max}
        ) w
      ON CONFLICT (shard, space, head, digest) DO UPDATE SET value = EXCLUDED.value;
  END IF;

  IF cardinality(p_put_key) > 0 THEN
    INSERT INTO {schema}.entry (shard, space, key, value)
      SELECT p_shard, p.space,
          CASE WHEN p.key_at IS NULL THEN p.key
            ELSE overlay(p.key PLACING int8send(v_stamps[p.set_number]) FROM p.key_at + 1 FOR 8) END,
          CASE WHEN p.value_at IS NULL THEN p.value
            ELSE overlay(p.value PLACING int8send(v_stamps[p.set_number]) FROM p.value_at + 1 FOR 8) END
        FROM unnest(p_put_set, p_put_space, p_put_key, p_put_value, p_put_key_at, p_put_value_at)
          AS p(set_number, space, key, value, key_at, value_at)
        WHERE octet_length(p.key) <= {key_bytes_max}
      ON CONFLICT (shard, space, key) DO UPDATE SET value = EXCLUDED.value;
  END IF;
  -- One by one: a join might read the whole space.
  FOR v_removed IN SELECT r.space, r.key FROM unnest(p_remove_space, p_remove_key) AS r(space, key) LOOP
    IF octet_length(v_removed.key) <= {key_bytes_max} THEN
      DELETE FROM {schema}.entry e
        WHERE e.shard = p_shard AND e.space = v_removed.space AND e.key = v_removed.key;
    ELSE
      DELETE FROM {schema}.long_entry l
        WHERE l.shard = p_shard AND l.space = v_removed.space
          AND l.head = substring(v_removed.key FROM 1 FOR {head_bytes}) AND l.digest = sha256(v_removed.key);
    END IF;
  END LOOP;
  RETURN v_stamps;
END
$function$;
