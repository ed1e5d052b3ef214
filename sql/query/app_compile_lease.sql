-- Leases a version in TypeScript that is not compiled yet: the oldest one of the first account after
-- a given one that has any, so that accounts take turns. It looks at row_limit accounts. Versions
-- that failed five times are skipped. One row; version_id is all zero: none is due. next_after: the
-- next account to start after; all zero: start from the first one.
-- params: after uuid, row_limit int8, lease_ms int8
-- row: version_id uuid, account_id uuid?, script_content text, checksum text, tries int4,
--   next_after uuid
-- effect: write
-- work: bounded
WITH RECURSIVE waiting (share, number) AS (
	SELECT first.share, 1::int8
	FROM (
		SELECT share
		FROM app_compiled
		WHERE compiled_at IS NULL AND tries < 5 AND share > :after
		ORDER BY share
		LIMIT 1
	) AS first
	UNION ALL
	SELECT next.share, waiting.number + 1
	FROM waiting
	CROSS JOIN LATERAL (
		SELECT share
		FROM app_compiled
		WHERE compiled_at IS NULL AND tries < 5 AND share > waiting.share
		ORDER BY share
		LIMIT 1
	) AS next
	WHERE waiting.number < :row_limit
), wanted AS MATERIALIZED (
	SELECT waiting.share, due.*
	FROM waiting
	CROSS JOIN LATERAL (
		SELECT app_version.id, app.account_id, app_version.script_content, app_version.checksum
		FROM app_compiled
		JOIN app_version ON app_version.id = app_compiled.version_id
		JOIN app ON app.id = app_version.app_id
		WHERE app_compiled.share = waiting.share AND app_compiled.compiled_at IS NULL
			AND app_compiled.tries < 5 AND app_compiled.claimed_until <= (SELECT present_time())
		ORDER BY app_compiled.claimed_until, app_compiled.version_id
		LIMIT 1
		FOR KEY SHARE OF app_version SKIP LOCKED
		FOR NO KEY UPDATE OF app_compiled SKIP LOCKED
	) AS due
	LIMIT 1
), leased AS (
	UPDATE app_compiled
	SET tries = app_compiled.tries + 1,
		claimed_until = present_time() + :lease_ms * interval '1 millisecond'
	FROM wanted
	WHERE app_compiled.version_id = wanted.id
	RETURNING app_compiled.version_id, app_compiled.tries
)
SELECT coalesce(leased.version_id, '00000000-0000-0000-0000-000000000000') AS version_id, wanted.account_id,
	coalesce(wanted.script_content, '') AS script_content, coalesce(wanted.checksum, '') AS checksum,
	coalesce(leased.tries, 0) AS tries,
	coalesce(wanted.share, (SELECT share FROM waiting WHERE number = :row_limit),
		'00000000-0000-0000-0000-000000000000') AS next_after
FROM (SELECT) AS one
LEFT JOIN leased ON true
LEFT JOIN wanted ON true
