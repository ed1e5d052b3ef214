-- Images of panels' firmware that administrators add, each for one board.
--
-- They are in the database, not in a state directory, because any instance may have to send them. There are none so far.
-- Older instances may run meanwhile: they do not know them.

-- Position of a version among others: its first three numbers, each below 100,000; NULL: it has none.
CREATE FUNCTION firmware_order(version text) RETURNS int8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT found[1]::int8 * 10000000000 + coalesce(found[2], '0')::int8 * 100000 + coalesce(found[3], '0')::int8
	FROM regexp_match(version, '^[vV]?([0-9]{1,5})(?:[.]([0-9]{1,5}))?(?:[.]([0-9]{1,5}))?(?![0-9])') AS found
$$;

CREATE TABLE firmware_image (
	id uuid PRIMARY KEY,
	slot int2 NOT NULL CONSTRAINT firmware_image_slot UNIQUE,
	board board_name NOT NULL,
	version text NOT NULL,
	chip text NOT NULL,
	project text NOT NULL,
	sha256 text NOT NULL,
	size_bytes int4 NOT NULL,
	content bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	CONSTRAINT firmware_image_slots CHECK (slot BETWEEN 1 AND 32),
	CONSTRAINT firmware_image_version UNIQUE (board, version),
	CONSTRAINT firmware_image_version_known CHECK (char_length(version) <= 32 AND firmware_order(version) IS NOT NULL),
	CONSTRAINT firmware_image_content CHECK (octet_length(content) = size_bytes AND size_bytes <= 8388608)
);
-- A part of it is read without the rest, which compression would make impossible.
ALTER TABLE firmware_image ALTER COLUMN content SET STORAGE EXTERNAL;
COMMENT ON TABLE firmware_image IS 'firmware of panels, added by administrators';
COMMENT ON COLUMN firmware_image.slot IS 'its number among the images: there are at most 32';
COMMENT ON COLUMN firmware_image.version IS 'as panels report it, without a "v" before it';
COMMENT ON COLUMN firmware_image.sha256 IS 'of content';
