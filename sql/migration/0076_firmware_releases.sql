-- Images of panels' firmware from the releases of a repository, which an administrator fixes.
--
-- Nothing is fetched so far. Older instances may run meanwhile: they do not know it.
CREATE TABLE firmware_releases (
	is_it boolean DEFAULT true PRIMARY KEY,
	releases_url text NOT NULL DEFAULT 'https://api.github.com/repos/tronbyt/firmware-esp32/releases',
	state text NOT NULL DEFAULT 'idle',
	asked_at timestamptz,
	ended_at timestamptz,
	by_operator boolean NOT NULL DEFAULT false,
	actor_id uuid,
	address text,
	session_id uuid,
	lease uuid,
	leased_until timestamptz NOT NULL DEFAULT '-infinity',
	tries int2 NOT NULL DEFAULT 0,
	step text,
	bytes int8 NOT NULL DEFAULT 0,
	size_bytes int8,
	problem text,
	images text NOT NULL DEFAULT '[]',
	CONSTRAINT firmware_releases_is_one CHECK (is_it),
	CONSTRAINT firmware_releases_url_length CHECK (char_length(releases_url) <= 500),
	CONSTRAINT firmware_releases_state_known CHECK (state IN ('idle', 'waiting', 'fetching', 'done', 'failed'))
);
INSERT INTO firmware_releases DEFAULT VALUES;
COMMENT ON TABLE firmware_releases IS 'where releases of firmware are, and the last time that they were fetched';
COMMENT ON COLUMN firmware_releases.actor_id IS 'who has asked; that account may be gone';
COMMENT ON COLUMN firmware_releases.lease IS 'of the worker that fetches them';
COMMENT ON COLUMN firmware_releases.tries IS 'leases of this fetch: a worker may end';
COMMENT ON COLUMN firmware_releases.step IS 'the file that is being fetched; NULL: the list';
COMMENT ON COLUMN firmware_releases.bytes IS 'of that file, that were stored';
COMMENT ON COLUMN firmware_releases.size_bytes IS 'of that file; NULL: not known';
COMMENT ON COLUMN firmware_releases.images IS 'JSON: what came of each image, in order';
