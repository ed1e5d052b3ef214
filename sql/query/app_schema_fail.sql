-- Stores why a version has no schema, in addition to its 19 latest other failures. No row: the
-- version is gone. The version's row is locked before those of its failures, as in its removal.
-- params: version_id uuid, locale text, reach int2, engine text, kind int2, message text, file text,
--   line int4, column int4
-- row: version_id uuid
WITH version AS (
	SELECT id
	FROM app_version
	WHERE id = :version_id
	FOR KEY SHARE
), noted AS (
	INSERT INTO app_schema_failure (version_id, locale, reach, engine, kind, message, file, line,
		"column")
	SELECT id, :locale, :reach, :engine, :kind, :message, :file, :line, :column
	FROM version
	ON CONFLICT (version_id, locale, reach) DO UPDATE
	SET engine = excluded.engine, kind = excluded.kind, message = excluded.message,
		file = excluded.file, line = excluded.line, "column" = excluded."column",
		made_at = excluded.made_at
	RETURNING version_id
), gone AS (
	DELETE FROM app_schema_failure
	WHERE version_id = (SELECT id FROM version) AND (locale, reach) IN (
		SELECT locale, reach
		FROM app_schema_failure
		WHERE version_id = :version_id AND (locale, reach) <> (:locale, :reach)
		ORDER BY made_at DESC
		OFFSET 19)
)
SELECT version_id
FROM noted
