-- Connections to the accounts' MQTT brokers.

-- One worker of one instance holds a connection at a time.
CREATE TABLE mqtt_connection (
	account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
	url text NOT NULL,
	username text,
	password bytea,
	is_of_instance boolean NOT NULL DEFAULT false,
	revision int8 NOT NULL DEFAULT 1,
	state text NOT NULL DEFAULT 'waiting',
	state_at timestamptz NOT NULL DEFAULT present_time(),
	error text,
	holder uuid,
	held_until timestamptz NOT NULL DEFAULT '-infinity',
	CONSTRAINT mqtt_connection_error_check CHECK ((char_length(error) <= 300)),
	CONSTRAINT mqtt_connection_password_check CHECK ((octet_length(password) <= 1200)),
	CONSTRAINT mqtt_connection_state_check CHECK ((state = ANY (ARRAY['waiting', 'connected', 'failed']))),
	CONSTRAINT mqtt_connection_url_check CHECK (((char_length(url) >= 1) AND (char_length(url) <= 300))),
	CONSTRAINT mqtt_connection_username_check CHECK (((char_length(username) >= 1) AND (char_length(username) <= 256)))
);
CREATE INDEX mqtt_connection_free ON mqtt_connection (held_until);
CREATE INDEX mqtt_connection_holder ON mqtt_connection (holder);
COMMENT ON TABLE mqtt_connection IS 'the MQTT broker of an account';
COMMENT ON COLUMN mqtt_connection.password IS 'encrypted with the key for secret settings';
COMMENT ON COLUMN mqtt_connection.is_of_instance IS
	'made by --mqtt: only instances with that setting hold it, and its owner does not change it';
COMMENT ON COLUMN mqtt_connection.revision IS 'grows with each change of the settings';
COMMENT ON COLUMN mqtt_connection.holder IS 'the worker that holds the connection until held_until';
