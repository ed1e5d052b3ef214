-- Images of panels' firmware from the releases of a repository, which an administrator fixes, and updates of all panels of
-- an account.
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

-- Updates of all panels of an account, one after the other. There are none so far.
CREATE TABLE firmware_series (
	account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
	series_id uuid NOT NULL CONSTRAINT firmware_series_known UNIQUE,
	state text NOT NULL,
	problem text,
	started_at timestamptz NOT NULL DEFAULT present_time(),
	ended_at timestamptz,
	address text,
	session_id uuid,
	CONSTRAINT firmware_series_state_known CHECK (state IN ('running', 'done', 'stopped', 'cancelled'))
);
CREATE INDEX firmware_series_running ON firmware_series (started_at) WHERE state = 'running';
CREATE TABLE firmware_series_device (
	series_id uuid NOT NULL,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	device_id uuid NOT NULL REFERENCES device ON DELETE CASCADE,
	position int4 NOT NULL,
	state text NOT NULL,
	reason text,
	version text,
	PRIMARY KEY (series_id, device_id),
	CONSTRAINT firmware_series_device_state_known CHECK (state IN ('waiting', 'updating', 'done', 'failed', 'left_out'))
);
CREATE INDEX firmware_series_device_account ON firmware_series_device (account_id);
CREATE INDEX firmware_series_device_device ON firmware_series_device (device_id);
COMMENT ON TABLE firmware_series IS 'the last update of all panels of each account, one after the other';
COMMENT ON COLUMN firmware_series.problem IS 'why it has stopped';
COMMENT ON TABLE firmware_series_device IS 'its devices, in order';
COMMENT ON COLUMN firmware_series_device.reason IS 'why it was left out, or has failed';
COMMENT ON COLUMN firmware_series_device.version IS 'that its panel is to have; NULL: none';

CREATE VIEW firmware_series_shown AS
SELECT account.id AS account_id, coalesce(series.state, 'none') AS state, series.problem, series.started_at, series.ended_at,
	coalesce((
		SELECT json_agg(json_build_object('deviceId', item.device_id, 'name', device.name, 'state', item.state,
			'version', item.version, 'reason', item.reason) ORDER BY item.position)
		FROM firmware_series_device AS item
		JOIN device ON device.id = item.device_id
		WHERE item.series_id = series.series_id
	)::text, '[]') AS devices
FROM account
LEFT JOIN firmware_series AS series ON series.account_id = account.id;
