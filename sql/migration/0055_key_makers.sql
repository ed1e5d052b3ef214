-- Webhooks and MQTT connections name the API key that has set them up, and end with it.
--
-- Old rows name no key: nothing ends them but their owner. Older instances may run meanwhile: what a key sets up through
-- them names no key, and what ends of keys that they revoke is ended by a newer instance, within seconds.

ALTER TABLE api_key
	ADD COLUMN has_set_up boolean NOT NULL DEFAULT false,
	ADD COLUMN keeps_set_up boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN api_key.has_set_up IS 'whether a webhook or an MQTT connection may name it';
COMMENT ON COLUMN api_key.keeps_set_up IS 'what it has set up becomes its owner''s when it ends, and stays';
ALTER TABLE webhook ADD COLUMN made_by_key_id uuid REFERENCES api_key ON DELETE SET NULL;
CREATE INDEX webhook_made_by_key ON webhook (made_by_key_id) WHERE made_by_key_id IS NOT NULL;
COMMENT ON COLUMN webhook.made_by_key_id IS
	'the API key that made it, or changed its URL or switched it on last; NULL: its owner, displayctl, or not known';
ALTER TABLE mqtt_connection ADD COLUMN made_by_key_id uuid REFERENCES api_key ON DELETE SET NULL;
CREATE INDEX mqtt_connection_made_by_key ON mqtt_connection (made_by_key_id) WHERE made_by_key_id IS NOT NULL;
COMMENT ON COLUMN mqtt_connection.made_by_key_id IS
	'the API key that set it last; NULL: its owner, displayctl, or not known';

-- Time from which an API key may not have webhooks and an MQTT connection: it is revoked, has expired, or is limited.
-- NULL: none is known.
CREATE FUNCTION key_set_up_until(revoked_at timestamptz, ends_at timestamptz, scope text, device_ids uuid[])
RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN scope <> 'all' OR device_ids IS NOT NULL THEN '-infinity' ELSE least(revoked_at, ends_at) END
$$;
CREATE INDEX api_key_set_up ON api_key (key_set_up_until(revoked_at, ends_at, scope, device_ids)) WHERE has_set_up;

-- ID of the API key with this hash, which sets something up; NULL for no hash. Its row stays locked until the commit: the
-- key is revoked before that, which is refused here, or after it, and then the revocation finds what was set up.
CREATE FUNCTION key_sets_up(hash bytea) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
	found_id uuid;
BEGIN
	IF hash IS NULL THEN
		RETURN NULL;
	END IF;
	UPDATE api_key
	SET has_set_up = true
	WHERE secret_hash = hash AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > present_time())
	RETURNING id INTO found_id;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'the API key has ended' USING
			ERRCODE = '28D01';
	END IF;
	RETURN found_id;
END
$$;

-- JSON: what an API key has set up and works.
CREATE FUNCTION key_set_up(key uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(json_agg(json_build_object('kind', kind, 'host', host) ORDER BY rank, host, id), '[]')::text
	FROM (
		SELECT 1 AS rank, 'webhook' AS kind, webhook_host(url) AS host, id
		FROM webhook
		WHERE made_by_key_id = key AND is_enabled
		UNION ALL
		SELECT 2, 'mqtt', left(url, 200), account_id
		FROM mqtt_connection
		WHERE made_by_key_id = key
	) AS made
$$;

-- Makes what an API key has set up its owner's. What works is ended before, unless the key keeps it: webhooks are
-- switched off, the MQTT connection is removed. Does nothing for a key that may still have it. The key's row is locked
-- last, as statements do that lock the account. Returns how much was ended.
CREATE FUNCTION key_set_up_end(key uuid, from_address text, by_session uuid) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	of_account uuid;
	keeps boolean;
	ended int8 := 0;
	more int8;
BEGIN
	SELECT account_id, keeps_set_up INTO of_account, keeps
	FROM api_key
	WHERE id = key AND has_set_up
		AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time();
	IF NOT FOUND THEN
		RETURN 0;
	END IF;
	IF NOT keeps THEN
		WITH off AS (
			UPDATE webhook
			SET is_enabled = false, switched_off_at = present_time(), made_by_key_id = NULL
			WHERE made_by_key_id = key AND is_enabled
			RETURNING url
		)
		INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
		SELECT account.id, account.email, 'webhook.disable', webhook_host(off.url), from_address, by_session
		FROM off
		JOIN account ON account.id = of_account;
		GET DIAGNOSTICS ended = ROW_COUNT;
		WITH removed AS (
			DELETE FROM mqtt_connection
			WHERE made_by_key_id = key
			RETURNING url
		)
		INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
		SELECT account.id, account.email, 'mqtt.remove', left(removed.url, 200), from_address, by_session
		FROM removed
		JOIN account ON account.id = of_account;
		GET DIAGNOSTICS more = ROW_COUNT;
		IF more > 0 THEN
			PERFORM pg_notify('displayd_hint', 'mqtt:' || of_account);
		END IF;
	END IF;
	UPDATE webhook SET made_by_key_id = NULL WHERE made_by_key_id = key AND (keeps OR NOT is_enabled);
	UPDATE mqtt_connection SET made_by_key_id = NULL WHERE made_by_key_id = key AND keeps;
	-- A statement of an expired key may have committed meanwhile: then the next call finds what it has set up.
	PERFORM FROM api_key WHERE id = key FOR NO KEY UPDATE;
	UPDATE api_key
	SET has_set_up = found.has_more, keeps_set_up = keeps_set_up AND found.has_more
	FROM (
		SELECT EXISTS (SELECT FROM webhook WHERE made_by_key_id = key)
			OR EXISTS (SELECT FROM mqtt_connection WHERE made_by_key_id = key) AS has_more
	) AS found
	WHERE id = key;
	RETURN ended + coalesce(more, 0);
END
$$;
COMMENT ON FUNCTION key_set_up_end IS 'rare: a key ends that has set up an MQTT connection, which must end with it';

-- Adds that a webhook is switched off with its key.
CREATE OR REPLACE FUNCTION audit_share(action text) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'mqtt.remove',
			'mqtt.update', 'passkey.add', 'webhook.create', 'webhook.disable', 'webhook.remove', 'webhook.secret',
			'webhook.update')
		THEN 1000 ELSE 10000 END
$$;
CREATE OR REPLACE FUNCTION audit_rank(action text) RETURNS int2 LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'mqtt.remove',
			'mqtt.update', 'passkey.add', 'webhook.create', 'webhook.disable', 'webhook.remove', 'webhook.secret',
			'webhook.update')
		THEN 0 WHEN action IN ('account.create', 'account.remove', 'device.remove', 'passkey.remove',
			'password.change', 'session.end', 'session.start', 'version.remove')
		THEN 1 ELSE 2 END)::int2
$$;
