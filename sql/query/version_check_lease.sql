-- Leases the oldest version in a language that is not checked yet, of the next account after
-- after_share that has one. No row: no account after that one has any. version_id NULL: that
-- account's oldest version is being checked, or is to be tried again later; its others wait for it.
-- params: language text, after_share uuid, lease_ms int8
-- row: share uuid, version_id uuid?, account_id uuid?, script_content text?, checksum text?,
--   javascript text?, tries int4
WITH next AS (
	SELECT share
	FROM version_check
	WHERE checked_at IS NULL AND script_language = :language AND share > :after_share
	ORDER BY share
	LIMIT 1
), oldest AS (
	SELECT version_id
	FROM version_check
	WHERE checked_at IS NULL AND script_language = :language
		AND share = (SELECT share FROM next)
	ORDER BY version_id
	LIMIT 1
), wanted AS (
	SELECT app_version.id, app.account_id, CASE WHEN app_compiled.javascript IS NULL
			THEN app_version.script_content END AS script_content, app_version.checksum,
		app_compiled.javascript
	FROM version_check
	JOIN app_version ON app_version.id = version_check.version_id
	JOIN app ON app.id = app_version.app_id
	LEFT JOIN app_compiled ON app_compiled.version_id = app_version.id
	WHERE version_check.version_id = (SELECT version_id FROM oldest)
		AND version_check.checked_at IS NULL
		AND coalesce(version_check.claimed_until, '-infinity') <= present_time()
	FOR KEY SHARE OF app_version SKIP LOCKED
	FOR NO KEY UPDATE OF version_check SKIP LOCKED
), leased AS (
	UPDATE version_check
	SET tries = version_check.tries + 1,
		claimed_until = present_time() + :lease_ms * interval '1 millisecond'
	FROM wanted
	WHERE version_check.version_id = wanted.id
	RETURNING version_check.version_id, version_check.tries
)
SELECT next.share, leased.version_id, wanted.account_id, wanted.script_content, wanted.checksum,
	wanted.javascript, coalesce(leased.tries, 0) AS tries
FROM next
LEFT JOIN leased ON true
LEFT JOIN wanted ON wanted.id = leased.version_id
