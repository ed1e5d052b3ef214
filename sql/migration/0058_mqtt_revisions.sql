-- A connection to an MQTT broker that is removed and set again begins with another revision than before. Both began
-- with 1, and the worker that held it went on with the settings that had been removed.
--
-- No row changes. Older instances may run meanwhile.
ALTER TABLE mqtt_connection ALTER COLUMN revision SET DEFAULT (extract(epoch FROM present_time()) * 1000)::int8;
