-- Accounts, API keys, devices, what is in their rotation and what is shown now.

CREATE TABLE account (
	id uuid PRIMARY KEY,
	email text NOT NULL,
	name text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	CONSTRAINT account_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
	CONSTRAINT account_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
);
CREATE UNIQUE INDEX account_email_unique ON account (lower(email));
COMMENT ON COLUMN account.name IS 'display name, shown to others; never the e-mail address';

CREATE TABLE api_key (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	name text NOT NULL,
	secret_hash bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	revoked_at timestamptz,
	CONSTRAINT api_key_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT api_key_secret_hash_length CHECK (length(secret_hash) = 32),
	CONSTRAINT api_key_secret_hash_unique UNIQUE (secret_hash)
);
CREATE INDEX api_key_account ON api_key (account_id);
COMMENT ON COLUMN api_key.secret_hash IS 'SHA-256 of the whole key; the key itself is stored nowhere';

CREATE TABLE device (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	name text NOT NULL,
	serial text,
	mac macaddr,
	link_key_hash bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	disabled_at timestamptz,
	last_online_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	brightness int2 NOT NULL DEFAULT 60,
	volume int2 NOT NULL DEFAULT 50,
	auto_dim boolean NOT NULL DEFAULT false,
	timezone text NOT NULL DEFAULT 'UTC',
	schedule_interval_s int4 NOT NULL DEFAULT 15,
	sleep_enabled boolean NOT NULL DEFAULT false,
	sleep_start_minute int2 NOT NULL DEFAULT 1320,
	sleep_end_minute int2 NOT NULL DEFAULT 420,
	generation int8 NOT NULL DEFAULT 0,
	last_push_generation int8 NOT NULL DEFAULT 0,
	last_push_at timestamptz NOT NULL DEFAULT '-infinity',
	entry_count int4 NOT NULL DEFAULT 0,
	CONSTRAINT device_serial_unique UNIQUE (serial),
	CONSTRAINT device_mac_unique UNIQUE (mac),
	CONSTRAINT device_name_length CHECK (char_length(name) BETWEEN 1 AND 25),
	CONSTRAINT device_serial_form CHECK (serial ~ '^[A-Za-z0-9_-]{1,32}$'),
	CONSTRAINT device_link_key_hash_length CHECK (length(link_key_hash) = 32),
	CONSTRAINT device_brightness_range CHECK (brightness BETWEEN 0 AND 100),
	CONSTRAINT device_volume_range CHECK (volume BETWEEN 0 AND 100),
	CONSTRAINT device_schedule_interval_range CHECK (schedule_interval_s BETWEEN 15 AND 86400),
	CONSTRAINT device_sleep_start_range CHECK (sleep_start_minute BETWEEN 0 AND 1439),
	CONSTRAINT device_sleep_end_range CHECK (sleep_end_minute BETWEEN 0 AND 1439),
	CONSTRAINT device_entry_limit CHECK (entry_count BETWEEN 0 AND 100)
) WITH (fillfactor = 70);
CREATE INDEX device_account ON device (account_id, created_at, id);
COMMENT ON COLUMN device.link_key_hash IS 'SHA-256 of the key in the device''s URLs';
COMMENT ON COLUMN device.generation IS
	'grows with every change that a panel can see; instances tell each other of it';
COMMENT ON COLUMN device.last_push_generation IS
	'of the newest push: pushes that race are answered in the order in which they were stored';
COMMENT ON COLUMN device.sleep_start_minute IS 'minutes after midnight in the device''s time zone';

CREATE TABLE installation (
	device_id uuid NOT NULL REFERENCES device ON DELETE CASCADE,
	id text NOT NULL,
	app_id uuid,
	position int8 NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	picture bytea,
	picture_generation int8 NOT NULL DEFAULT 0,
	PRIMARY KEY (device_id, id),
	CONSTRAINT installation_position_unique UNIQUE (device_id, position),
	CONSTRAINT installation_id_length CHECK (char_length(id) BETWEEN 1 AND 64),
	CONSTRAINT installation_picture_size CHECK (length(picture) BETWEEN 1 AND 460000)
);
-- Pictures are WebP: compressing them again costs time and saves nothing.
ALTER TABLE installation ALTER COLUMN picture SET STORAGE EXTERNAL;
COMMENT ON COLUMN installation.app_id IS 'NULL: an entry made by pushing an image';
COMMENT ON COLUMN installation.position IS
	'place in the rotation: the device''s generation when the entry was made';
COMMENT ON COLUMN installation.picture_generation IS
	'the device''s generation when the picture was last replaced';

CREATE FUNCTION installation_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE device SET entry_count = entry_count + 1 WHERE id = NEW.device_id;
	ELSE
		-- Also where an entry goes with its app: the panel must learn of it.
		UPDATE device SET entry_count = entry_count - 1, generation = generation + 1
		WHERE id = OLD.device_id;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER installation_count AFTER INSERT OR DELETE ON installation
	FOR EACH ROW EXECUTE FUNCTION installation_counted();
COMMENT ON COLUMN device.entry_count IS
	'rows in installation, kept by a trigger: the limit is a constraint that holds under concurrency';

CREATE TABLE showing (
	device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
	push_generation int8 NOT NULL,
	installation_id text,
	picture bytea,
	duration_s int4 NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	displayed_at timestamptz,
	FOREIGN KEY (device_id, installation_id) REFERENCES installation ON DELETE CASCADE,
	CONSTRAINT showing_picture_size CHECK (length(picture) BETWEEN 1 AND 460000),
	CONSTRAINT showing_one_source CHECK ((installation_id IS NULL) = (picture IS NOT NULL))
) WITH (fillfactor = 70);
ALTER TABLE showing ALTER COLUMN picture SET STORAGE EXTERNAL;
COMMENT ON TABLE showing IS
	'the newest push of each device that was to be seen at once: a temporary image or an entry';
COMMENT ON COLUMN showing.displayed_at IS
	'when a panel first showed it; its time is counted from then';
