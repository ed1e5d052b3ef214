-- Leases the oldest version in TypeScript that is not compiled yet. Versions that failed five times
-- are skipped.
-- params: lease_ms int8
-- row: version_id uuid, account_id uuid?, script_content text, checksum text, tries int4
-- effect: write
-- work: bounded
WITH wanted AS (
	SELECT app_version.id, app.account_id, app_version.script_content, app_version.checksum
	FROM app_compiled
	JOIN app_version ON app_version.id = app_compiled.version_id
	JOIN app ON app.id = app_version.app_id
	WHERE app_compiled.compiled_at IS NULL AND app_compiled.tries < 5
		AND coalesce(app_compiled.claimed_until, '-infinity') <= present_time()
	ORDER BY app_compiled.version_id
	LIMIT 1
	FOR KEY SHARE OF app_version SKIP LOCKED
	FOR NO KEY UPDATE OF app_compiled SKIP LOCKED
), leased AS (
	UPDATE app_compiled
	SET tries = app_compiled.tries + 1,
		claimed_until = present_time() + :lease_ms * interval '1 millisecond'
	FROM wanted
	WHERE app_compiled.version_id = wanted.id
	RETURNING app_compiled.version_id, app_compiled.tries
)
SELECT leased.version_id, wanted.account_id, wanted.script_content, wanted.checksum,
	leased.tries
FROM leased
JOIN wanted ON wanted.id = leased.version_id
