-- What the pages show of apps before they are installed: their forms and their pictures.

CREATE TABLE app_schema (
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	locale text NOT NULL,
	engine text NOT NULL,
	schema text NOT NULL,
	hosts text NOT NULL DEFAULT '',
	made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (version_id, locale),
	CONSTRAINT app_schema_size CHECK (octet_length(schema) <= 1048576)
);
COMMENT ON TABLE app_schema IS 'the schemas of versions, as their renderer gave them';
COMMENT ON COLUMN app_schema.schema IS 'JSON; empty: the version has none';
COMMENT ON COLUMN app_schema.hosts IS
	'that were asked for it: such a schema is not the same for ever';

CREATE TABLE app_picture (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	engine text NOT NULL DEFAULT '',
	picture bytea,
	picture_hash text GENERATED ALWAYS AS (left(encode(sha256(picture), 'hex'), 32)) STORED,
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	made_at timestamptz,
	CONSTRAINT app_picture_size CHECK (length(picture) BETWEEN 1 AND 460000)
);
ALTER TABLE app_picture ALTER COLUMN picture SET STORAGE EXTERNAL;
COMMENT ON TABLE app_picture IS
	'versions as the catalogue shows them: with default settings, made without network';
COMMENT ON COLUMN app_picture.picture IS 'NULL: there is none (yet)';
COMMENT ON COLUMN app_picture.made_at IS 'tried for the last time; NULL: not yet, or it is to be tried again';

-- JSON: the hosts that a version asked in its newest renders.
CREATE FUNCTION version_hosts(of_version uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(json_agg(DISTINCT host)::text, '[]')
	FROM (
		SELECT hosts
		FROM render
		WHERE version_id = of_version AND rendered_at IS NOT NULL
		ORDER BY rendered_at DESC
		LIMIT 20
	) AS newest
	CROSS JOIN LATERAL unnest(string_to_array(newest.hosts, ' ')) AS host
	WHERE host <> ''
$$;
