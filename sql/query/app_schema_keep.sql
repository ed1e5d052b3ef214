-- Keeps the schema of a version, with those of the 19 other locales that were used most; those that
-- were not used for a month go first. account_id: who has asked for it. No row: the version is gone.
-- The version's row is locked before those of its schemas, as its removal does it.
-- params: version_id uuid, locale text, engine text, schema text, hosts text, account_id uuid
-- row: version_id uuid
-- effect: write
-- work: bounded
WITH version AS (
	SELECT id
	FROM app_version
	WHERE id = :version_id
	FOR KEY SHARE
), kept AS (
	INSERT INTO app_schema (version_id, locale, engine, schema, hosts, used_by)
	SELECT id, :locale, :engine, :schema, :hosts, :account_id
	FROM version
	ON CONFLICT (version_id, locale) DO UPDATE
	SET engine = excluded.engine, schema = excluded.schema, hosts = excluded.hosts,
		made_at = excluded.made_at
	RETURNING version_id
), gone AS (
	DELETE FROM app_schema
	WHERE version_id = (SELECT id FROM version) AND locale IN (
		SELECT locale
		FROM app_schema
		WHERE version_id = :version_id AND locale <> :locale
		ORDER BY used_at > present_time() - interval '30 days' DESC, use_count DESC,
			used_at DESC
		OFFSET 19)
)
SELECT version_id
FROM kept
