-- Leases an app whose deployed version may declare stored settings secret, for some seconds; after
-- each failed try it waits twice as long, up to an hour. No row: there is none.
-- params: lease uuid, languages text[], lease_s int8
-- row: app_id uuid, version_id uuid, is_disabled bool
WITH next AS (
	SELECT app.id AS app_id, version.id AS version_id, app.status = 'disabled' AS is_disabled
	FROM app_to_seal AS due
	JOIN app ON app.id = due.app_id
	JOIN app_version AS version ON version.id = app.deployed_version_id
	WHERE due.due_at <= present_time() AND version.script_language = ANY (:languages)
	ORDER BY due.due_at, due.id
	LIMIT 1
	FOR UPDATE OF due SKIP LOCKED
), leased AS (
	UPDATE app_to_seal
	SET claim = :lease, tries = tries + 1,
		due_at = present_time() + :lease_s * interval '1 second'
	FROM next
	WHERE app_to_seal.app_id = next.app_id
	RETURNING app_to_seal.app_id
)
SELECT next.app_id, next.version_id, next.is_disabled
FROM next
WHERE EXISTS (SELECT FROM leased)
