-- Claims a version in TypeScript that awaits review and that nobody has compiled, the oldest one.
-- What was tried five times in vain is left alone.
-- params: lease_ms int8
-- row: version_id uuid, account_id uuid?, script_content text, checksum text, tries int4
-- effect: write
-- work: bounded
WITH wanted AS (
	SELECT app_version.id, app.account_id, app_version.script_content, app_version.checksum
	FROM app_version
	JOIN app ON app.id = app_version.app_id
	LEFT JOIN app_compiled ON app_compiled.version_id = app_version.id
	WHERE app_version.status = 'PENDING' AND app_version.script_language = 'TYPESCRIPT'
		AND app_compiled.compiled_at IS NULL AND coalesce(app_compiled.tries, 0) < 5
		AND coalesce(app_compiled.claimed_until, '-infinity') <= present_time()
	ORDER BY app_version.sequence
	LIMIT 1
	FOR KEY SHARE OF app_version SKIP LOCKED
), claimed AS (
	INSERT INTO app_compiled (version_id, tries, claimed_until)
	SELECT id, 1, present_time() + :lease_ms * interval '1 millisecond'
	FROM wanted
	ON CONFLICT (version_id) DO UPDATE
	SET tries = app_compiled.tries + 1, claimed_until = excluded.claimed_until
	WHERE app_compiled.compiled_at IS NULL AND app_compiled.claimed_until <= present_time()
	RETURNING version_id, tries
)
SELECT claimed.version_id, wanted.account_id, wanted.script_content, wanted.checksum,
	claimed.tries
FROM claimed
JOIN wanted ON wanted.id = claimed.version_id
