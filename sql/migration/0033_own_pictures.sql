-- Pictures that apps of a collection bring along: the catalogue shows them where rendering an app gives none. There are
-- none yet, so no row breaks a new rule; the next import brings them. Earlier programs may run meanwhile: they show
-- none, and do not look at those that a newer displayctl imports.

CREATE TABLE app_own_picture (
	app_id uuid PRIMARY KEY REFERENCES app ON DELETE CASCADE,
	source bytea,
	source_hash bytea NOT NULL,
	picture bytea,
	picture_hash text,
	problem text,
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	checked_at timestamptz,
	CONSTRAINT app_own_picture_source_size CHECK (length(source) BETWEEN 1 AND 196608),
	CONSTRAINT app_own_picture_size CHECK (length(picture) BETWEEN 1 AND 60000),
	CONSTRAINT app_own_picture_hash_length CHECK (length(source_hash) = 32),
	CONSTRAINT app_own_picture_problem_length CHECK (char_length(problem) <= 500),
	CONSTRAINT app_own_picture_waits CHECK ((checked_at IS NULL) = (source IS NOT NULL))
);
ALTER TABLE app_own_picture
	ALTER COLUMN source SET STORAGE EXTERNAL,
	ALTER COLUMN picture SET STORAGE EXTERNAL;
CREATE INDEX app_own_picture_queue ON app_own_picture (app_id) WHERE checked_at IS NULL AND tries < 5;
COMMENT ON COLUMN app_own_picture.source IS
	'a file as it was imported, from strangers: a worker decodes all of it before anybody sees it';
COMMENT ON COLUMN app_own_picture.source_hash IS 'SHA-256 of that: the same file is not imported again';
COMMENT ON COLUMN app_own_picture.picture IS 'what panels show of it; of the file before, until a new one is good';
COMMENT ON COLUMN app_own_picture.problem IS 'why there is no picture of this file';
