-- One row for each worker that holds connections to MQTT brokers says until when, in place of each connection's: a lease
-- is renewed every two seconds, so that another worker takes over within ten, and not in each of a thousand rows.
--
-- A connection with the time infinity is held as long as its holder. One with another time was leased by an earlier
-- program, which may run meanwhile: it takes none that a later one holds.

CREATE TABLE mqtt_holder (
	id uuid PRIMARY KEY,
	held_until timestamptz NOT NULL
) WITH (fillfactor = 10);
COMMENT ON TABLE mqtt_holder IS 'the workers that hold connections to MQTT brokers';

-- Until when a connection is held, or was.
CREATE FUNCTION mqtt_held_until(held_until timestamptz, holder uuid) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
	SELECT CASE WHEN held_until = 'infinity'
		THEN coalesce((SELECT mqtt_holder.held_until FROM mqtt_holder WHERE mqtt_holder.id = holder), '-infinity')
		ELSE held_until END
$$;
