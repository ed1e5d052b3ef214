-- Accounts have a connection to an MQTT broker, which one worker of one instance holds at a time.
--
-- No row changes: no account has a connection yet. Earlier programs may run meanwhile: they hold none.

CREATE TABLE mqtt_connection (
	account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
	url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 300),
	username text CHECK (char_length(username) BETWEEN 1 AND 256),
	password bytea CHECK (octet_length(password) <= 1200),
	is_of_instance boolean NOT NULL DEFAULT false,
	revision int8 NOT NULL DEFAULT 1,
	state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'connected', 'failed')),
	state_at timestamptz NOT NULL DEFAULT present_time(),
	error text CHECK (char_length(error) <= 300),
	holder uuid,
	held_until timestamptz NOT NULL DEFAULT '-infinity'
);
COMMENT ON TABLE mqtt_connection IS 'the MQTT broker of an account';
COMMENT ON COLUMN mqtt_connection.password IS 'encrypted with the key for secret settings';
COMMENT ON COLUMN mqtt_connection.is_of_instance IS
	'made by --mqtt: only instances with that setting hold it, and its owner does not change it';
COMMENT ON COLUMN mqtt_connection.revision IS 'grows with each change of the settings';
COMMENT ON COLUMN mqtt_connection.holder IS 'the worker that holds the connection until held_until';

CREATE INDEX mqtt_connection_holder ON mqtt_connection (holder);
CREATE INDEX mqtt_connection_free ON mqtt_connection (held_until);
