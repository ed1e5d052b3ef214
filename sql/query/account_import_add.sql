-- Keeps lines of an import apart until it is applied; what is empty is none. The same lines may come again. No row:
-- there is no such import any more. is_full: it has as many lines or bytes as it may have, and nothing was kept.
-- params: id uuid, numbers int8[], kinds text[], names text[], lines text[], pictures text[], settings text[],
--   encrypted text[], hashes text[], checksums text[], byte_count int8, line_limit int8, byte_limit int8, life_s int4
-- row: is_full bool
-- effect: write
-- work: bounded
WITH import AS (
	UPDATE account_import
	SET ends_at = present_time() + :life_s * interval '1 second',
		line_count = line_count + cardinality(:numbers),
		byte_count = byte_count + :byte_count
	WHERE id = :id AND ends_at > present_time() AND result IS NULL
	RETURNING id, line_count > :line_limit OR byte_count > :byte_limit AS is_full
), kept AS (
	INSERT INTO account_import_line (import_id, number, kind, name, line, picture, settings, secret_settings,
		settings_hash, checksum)
	SELECT import.id, one.number, one.kind, one.name, one.line, decode(nullif(one.picture, ''), 'hex'), one.settings,
		decode(nullif(one.encrypted, ''), 'hex'), decode(one.hash, 'hex'), one.checksum
	FROM import, unnest(:numbers, :kinds, :names, :lines, :pictures, :settings, :encrypted, :hashes, :checksums)
		AS one (number, kind, name, line, picture, settings, encrypted, hash, checksum)
	WHERE NOT import.is_full
	ON CONFLICT (import_id, number) DO NOTHING
)
SELECT is_full
FROM import
