-- Stills of the catalogue's pictures: lists show them, and load a picture that moves when it is pointed at. Its views.
--
-- No picture has one so far: workers make them after the start. Older instances may run meanwhile: what they list has no
-- stills, and a picture that they replace loses its own.
ALTER TABLE app_picture ADD COLUMN still bytea, ADD COLUMN still_claimed_until timestamptz,
	ADD CONSTRAINT app_picture_still_size CHECK (length(still) <= 2048);
ALTER TABLE app_own_picture ADD COLUMN still bytea, ADD COLUMN still_claimed_until timestamptz,
	ADD CONSTRAINT app_own_picture_still_size CHECK (length(still) <= 2048);
CREATE INDEX app_picture_without_still ON app_picture (version_id) WHERE picture IS NOT NULL AND still IS NULL;
CREATE INDEX app_own_picture_without_still ON app_own_picture (app_id) WHERE picture IS NOT NULL AND still IS NULL;
COMMENT ON COLUMN app_picture.still IS 'one frame of the picture; NULL: not yet; empty: none could be made';
COMMENT ON COLUMN app_own_picture.still IS 'as in app_picture';

CREATE FUNCTION app_still_unset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.still := NULL;
	NEW.still_claimed_until := NULL;
	RETURN NEW;
END
$$;
CREATE TRIGGER app_picture_still_unset BEFORE UPDATE OF picture ON app_picture
	FOR EACH ROW WHEN (OLD.picture IS DISTINCT FROM NEW.picture) EXECUTE FUNCTION app_still_unset();
CREATE TRIGGER app_own_picture_still_unset BEFORE UPDATE OF picture ON app_own_picture
	FOR EACH ROW WHEN (OLD.picture IS DISTINCT FROM NEW.picture) EXECUTE FUNCTION app_still_unset();

-- The still of the picture that the catalogue shows of an app, in base64: the rendered one, else the one of its folder.
CREATE FUNCTION app_still(of_version uuid, of_app uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT nullif(translate(encode(still, 'base64'), E'\n', ''), '')
	FROM (
		SELECT still, 1 AS place FROM app_picture WHERE version_id = of_version AND picture IS NOT NULL
		UNION ALL
		SELECT still, 2 FROM app_own_picture WHERE app_id = of_app AND picture IS NOT NULL
	) AS either
	ORDER BY place
	LIMIT 1
$$;

-- A text that sorts later times first, since lists are read in ascending order.
CREATE FUNCTION latest_first(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT lpad((9007199254740991 - (extract(epoch FROM at) * 1000000)::int8)::text, 16, '0')
$$;
