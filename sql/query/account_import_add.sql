-- Stages lines of an import until it is applied; empty texts mean none. Repeated lines count once.
-- No row: the import does not exist any more. is_full: it would exceed the limit of lines or bytes;
-- other_line: the first line whose number has another text already, or 0. In both cases nothing was
-- stored.
-- params: id uuid, numbers int8[], kinds text[], names text[], lines text[], pictures text[], settings text[],
--   encrypted text[], hashes text[], checksums text[], line_limit int8, byte_limit int8, life_s int4
-- row: is_full bool, other_line int8
WITH import AS (
	SELECT id, line_count, byte_count
	FROM account_import
	WHERE id = :id AND ends_at > present_time() AND result IS NULL
	FOR UPDATE
), given AS (
	SELECT import.id, one.number, one.kind, one.name, one.line, decode(nullif(one.picture, ''), 'hex') AS picture,
		one.settings, decode(nullif(one.encrypted, ''), 'hex') AS encrypted, decode(one.hash, 'hex') AS hash,
		one.checksum, octet_length(one.line) + octet_length(one.picture) / 2 + octet_length(one.settings)
			+ octet_length(one.encrypted) / 2 AS bytes, before.number AS known, before.line AS line_before
	FROM import
	CROSS JOIN unnest(:numbers, :kinds, :names, :lines, :pictures, :settings, :encrypted, :hashes, :checksums)
		AS one (number, kind, name, line, picture, settings, encrypted, hash, checksum)
	LEFT JOIN account_import_line AS before ON before.import_id = import.id AND before.number = one.number
), found AS (
	SELECT import.id,
		import.line_count + count(given.number) FILTER (WHERE given.known IS NULL) > :line_limit
			OR import.byte_count + coalesce(sum(given.bytes) FILTER (WHERE given.known IS NULL), 0) > :byte_limit
			AS is_full,
		coalesce(min(given.number) FILTER (WHERE given.line_before <> given.line), 0) AS other_line
	FROM import
	LEFT JOIN given ON given.id = import.id
	GROUP BY import.id, import.line_count, import.byte_count
), kept AS (
	INSERT INTO account_import_line (import_id, number, kind, name, line, picture, settings, secret_settings,
		settings_hash, checksum)
	SELECT given.id, given.number, given.kind, given.name, given.line, given.picture, given.settings, given.encrypted,
		given.hash, given.checksum
	FROM given
	JOIN found ON found.id = given.id AND NOT found.is_full AND found.other_line = 0
	WHERE given.known IS NULL
	ON CONFLICT (import_id, number) DO NOTHING
	RETURNING octet_length(line) + coalesce(octet_length(picture), 0) + octet_length(settings)
		+ coalesce(octet_length(secret_settings), 0) AS bytes
), counted AS (
	UPDATE account_import
	SET ends_at = present_time() + :life_s * interval '1 second',
		line_count = account_import.line_count + (SELECT count(*) FROM kept),
		byte_count = account_import.byte_count + (SELECT coalesce(sum(kept.bytes), 0) FROM kept)
	FROM import
	WHERE account_import.id = import.id
)
SELECT is_full, other_line
FROM found
