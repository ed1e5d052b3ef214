-- The audit log has what is done to connections to MQTT brokers.
--
-- No row changes. Earlier programs may run meanwhile: they make no such entries.

CREATE OR REPLACE FUNCTION audit_share(action text) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'mqtt.remove',
			'mqtt.update', 'passkey.add', 'webhook.create', 'webhook.remove', 'webhook.secret', 'webhook.update')
		THEN 1000 ELSE 10000 END
$$;
CREATE OR REPLACE FUNCTION audit_rank(action text) RETURNS int2 LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'mqtt.remove',
			'mqtt.update', 'passkey.add', 'webhook.create', 'webhook.remove', 'webhook.secret', 'webhook.update')
		THEN 0 WHEN action IN ('account.create', 'account.remove', 'device.remove', 'passkey.remove',
			'password.change', 'session.end', 'session.start', 'version.remove')
		THEN 1 ELSE 2 END)::int2
$$;
