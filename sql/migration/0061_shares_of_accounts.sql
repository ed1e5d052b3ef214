-- How often an account sets its MQTT connection has a limit. A webhook hangs on the API key that made its secret, too.
--
-- No row breaks a rule. Older instances may run meanwhile: they count no changes of MQTT connections, and note no key of
-- a secret.

ALTER TABLE account ADD COLUMN mqtt_paced_until timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN account.mqtt_paced_until IS 'five seconds for each time that its MQTT connection was set lately';

-- Refuses to set an account's MQTT connection too often: the bridge connects anew each time. Removals need a connection
-- that was set, and are not counted.
CREATE FUNCTION mqtt_pace(of_account uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE account
	SET mqtt_paced_until = greatest(mqtt_paced_until, present_time()) + interval '5 seconds'
	WHERE id = of_account AND mqtt_paced_until <= present_time() + interval '95 seconds';
	IF NOT FOUND THEN
		RAISE EXCEPTION 'the MQTT connection is set too often' USING
			ERRCODE = '54D03';
	END IF;
END
$$;

ALTER TABLE webhook ADD COLUMN secret_key_id uuid REFERENCES api_key ON DELETE SET NULL;
CREATE INDEX webhook_secret_key ON webhook (secret_key_id) WHERE secret_key_id IS NOT NULL;
COMMENT ON COLUMN webhook.secret_key_id IS
	'the API key that replaced its secret last; NULL: its owner or displayctl, who may have set it up since then, or not known';

-- Adds to what was that a message under way is none: its answer changes nothing of a webhook that has begun anew.
CREATE OR REPLACE FUNCTION webhook_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.message_id := NULL;
	NEW.message_at := NULL;
	NEW.message_numbers := NULL;
	NEW.message_lost := 0;
	NEW.lost := 0;
	NEW.tries := 0;
	NEW.failing_since := NULL;
	NEW.next_at := '-infinity';
	NEW.lease := NULL;
	NEW.leased_until := '-infinity';
	IF NEW.is_enabled THEN
		NEW.switched_off_at := NULL;
	END IF;
	RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION key_set_up(key uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(json_agg(json_build_object('kind', kind, 'host', host) ORDER BY rank, host, id), '[]')::text
	FROM (
		SELECT 1 AS rank, 'webhook' AS kind, webhook_host(url) AS host, id
		FROM webhook
		WHERE (made_by_key_id = key OR secret_key_id = key) AND is_enabled
		UNION ALL
		SELECT 2, 'mqtt', left(url, 200), account_id
		FROM mqtt_connection
		WHERE made_by_key_id = key
	) AS made
$$;

CREATE OR REPLACE FUNCTION key_set_up_end(key uuid, from_address text, by_session uuid) RETURNS int8
LANGUAGE plpgsql AS $$
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
			SET is_enabled = false, switched_off_at = present_time(),
				made_by_key_id = nullif(made_by_key_id, key), secret_key_id = nullif(secret_key_id, key)
			WHERE (made_by_key_id = key OR secret_key_id = key) AND is_enabled
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
	UPDATE webhook
	SET made_by_key_id = nullif(made_by_key_id, key), secret_key_id = nullif(secret_key_id, key)
	WHERE (made_by_key_id = key OR secret_key_id = key) AND (keeps OR NOT is_enabled);
	UPDATE mqtt_connection SET made_by_key_id = NULL WHERE made_by_key_id = key AND keeps;
	-- A statement of an expired key may have committed meanwhile: then the next call finds what it has set up.
	PERFORM FROM api_key WHERE id = key FOR NO KEY UPDATE;
	UPDATE api_key
	SET has_set_up = found.has_more, keeps_set_up = keeps_set_up AND found.has_more
	FROM (
		SELECT EXISTS (SELECT FROM webhook WHERE made_by_key_id = key OR secret_key_id = key)
			OR EXISTS (SELECT FROM mqtt_connection WHERE made_by_key_id = key) AS has_more
	) AS found
	WHERE id = key;
	RETURN ended + coalesce(more, 0);
END
$$;
COMMENT ON FUNCTION key_set_up_end IS 'rare: a key ends that has set up an MQTT connection, which must end with it';
