-- Versions in TypeScript are compiled in turns of accounts; what a slow machine could not compile is tried again. How
-- often an account sets its MQTT connection has a limit.
--
-- Versions that were stored as broken because the machine was too slow are compiled again. No row breaks a rule. Older
-- instances may run meanwhile: they lease the version that waited longest, store again that a slow machine could not
-- compile it, and count no changes of MQTT connections.

ALTER TABLE app_compiled
	ADD COLUMN share uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
	ADD COLUMN late int4 NOT NULL DEFAULT 0 CHECK (late >= 0),
	ALTER COLUMN claimed_until SET DEFAULT '-infinity';
COMMENT ON COLUMN app_compiled.share IS
	'account that owned the app when the version was submitted: accounts take turns; all ones: no account';
COMMENT ON COLUMN app_compiled.late IS 'how often it was put off because the machine was too slow or too busy';
UPDATE app_compiled
SET problem = NULL, engine = '', compiled_at = NULL
WHERE problem LIKE '{"kind":"unavailable"%';
UPDATE app_compiled
SET tries = 0, claimed_until = '-infinity', share = coalesce(app.account_id, app_compiled.share)
FROM app_version
JOIN app ON app.id = app_version.app_id
WHERE app_version.id = app_compiled.version_id AND app_compiled.compiled_at IS NULL;
DROP INDEX app_compiled_queue;
CREATE INDEX app_compiled_queue ON app_compiled (share, claimed_until, version_id)
	WHERE compiled_at IS NULL AND tries < 5;
COMMENT ON INDEX app_compiled_queue IS 'each version in TypeScript is in it from its submission on';
CREATE OR REPLACE FUNCTION app_version_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO app_compiled (version_id, share)
	SELECT NEW.id, coalesce(app.account_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
	FROM app
	WHERE app.id = NEW.app_id
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;

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
