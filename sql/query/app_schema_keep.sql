-- Stores the schema of a version, in addition to those of the 19 most used other locales, up to 8
-- MiB together; those that were not used for a month are removed first. account_id: the account
-- that requested it. No row: the version is gone. The version's row is locked before those of its
-- schemas, as in its removal.
-- params: version_id uuid, locale text, engine text, schema text, hosts text, account_id uuid
-- row: version_id uuid
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
		FROM (
			SELECT locale, row_number() OVER used_most AS number,
				sum(octet_length(schema)) OVER used_most AS bytes
			FROM app_schema
			WHERE version_id = :version_id AND locale <> :locale
			WINDOW used_most AS (
				ORDER BY used_at > present_time() - interval '30 days' DESC, use_count DESC,
					used_at DESC, locale
				ROWS UNBOUNDED PRECEDING)
		) AS other
		WHERE number > 19 OR bytes + octet_length(:schema) > 8388608)
)
SELECT version_id
FROM kept
