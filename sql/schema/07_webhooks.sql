-- Webhooks, and the events that wait to be sent.

CREATE TABLE webhook (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	url text NOT NULL,
	events int4 NOT NULL,
	is_enabled boolean NOT NULL DEFAULT true,
	secret bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	last_status int4,
	last_problem text,
	last_at timestamptz,
	failing_since timestamptz,
	switched_off_at timestamptz,
	tries int4 NOT NULL DEFAULT 0,
	next_at timestamptz NOT NULL DEFAULT '-infinity',
	lease uuid,
	leased_until timestamptz NOT NULL DEFAULT '-infinity',
	message_id uuid,
	message_at timestamptz,
	message_numbers int8[],
	message_lost int8 NOT NULL DEFAULT 0,
	lost int8 NOT NULL DEFAULT 0,
	tested_at timestamptz NOT NULL DEFAULT '-infinity',
	trimmed_at timestamptz NOT NULL DEFAULT '-infinity',
	looked_at timestamptz NOT NULL DEFAULT '-infinity',
	looked_to_at timestamptz NOT NULL DEFAULT '-infinity',
	looked_to_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
	CONSTRAINT webhook_events_known CHECK (events BETWEEN 1 AND 15),
	CONSTRAINT webhook_problem_length CHECK (char_length(last_problem) <= 300),
	CONSTRAINT webhook_url_length CHECK (octet_length(url) BETWEEN 1 AND 2048)
) WITH (fillfactor = 50);
CREATE INDEX webhook_account ON webhook (account_id, created_at, id);
CREATE INDEX webhook_to_trim ON webhook (trimmed_at) WHERE is_enabled;
CREATE INDEX webhook_wants_failed ON webhook (account_id) WHERE is_enabled AND events & 8 <> 0;
CREATE INDEX webhook_wants_online ON webhook (looked_at) WHERE is_enabled AND events & 1 <> 0;
COMMENT ON COLUMN webhook.events IS '1 online, 2 pushed, 4 changed, 8 failed';
COMMENT ON COLUMN webhook.secret IS 'encrypted as secret settings are (domain/secret_settings.h)';
COMMENT ON COLUMN webhook.lease IS 'of the worker that sends to it; it ends at leased_until, if the worker does not';
COMMENT ON COLUMN webhook.message_id IS
	'webhook-id of what is being sent: until it was delivered, or dropped, the events of message_numbers';
COMMENT ON COLUMN webhook.message_lost IS 'lost events that the message tells of';
COMMENT ON COLUMN webhook.lost IS 'events that were dropped and that no message has told of';
COMMENT ON COLUMN webhook.looked_to_id IS 'of the devices, as far as it was looked which are online';

-- One row for each webhook that an event is for. A device's row is locked while its events are made, but for those of
-- failed renders: so their numbers are in the order of its changes.
CREATE TABLE webhook_event (
	webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
	number int8 GENERATED ALWAYS AS IDENTITY,
	kind text NOT NULL,
	data text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	PRIMARY KEY (webhook_id, number)
);

-- State of a device that a webhook was last told.
CREATE TABLE webhook_online (
	webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
	device_id uuid NOT NULL REFERENCES device ON DELETE CASCADE,
	is_online boolean NOT NULL,
	PRIMARY KEY (webhook_id, device_id)
);
CREATE INDEX webhook_online_device ON webhook_online (device_id);

-- A device whose generation grows was pushed to, or has changed.
CREATE FUNCTION device_happened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.last_push_generation > OLD.last_push_generation THEN
		PERFORM webhook_tell(NEW.account_id, 2, 'pushed', json_build_object('deviceId', NEW.id, 'installationId', (
			SELECT installation_id FROM showing
			WHERE device_id = NEW.id AND push_generation = NEW.last_push_generation
				AND installation_id IS NOT NULL
			UNION ALL
			SELECT id FROM installation
			WHERE device_id = NEW.id AND app_id IS NULL AND picture_generation = NEW.last_push_generation
			LIMIT 1))::text)
		WHERE NEW.webhook_events & 2 <> 0;
	ELSE
		PERFORM webhook_tell(NEW.account_id, 4, 'changed', json_build_object('deviceId', NEW.id)::text)
		WHERE NEW.webhook_events & 4 <> 0;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER device_happening AFTER UPDATE OF generation ON device
	FOR EACH ROW WHEN (NEW.generation > OLD.generation AND NEW.webhook_events & 6 <> 0)
	EXECUTE FUNCTION device_happened();

-- The first failed render in a row: a thousand events at most.
CREATE FUNCTION render_failed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM webhook WHERE is_enabled AND events & 8 <> 0) THEN
		RETURN NULL;
	END IF;
	INSERT INTO webhook_event (webhook_id, kind, data)
	SELECT entry.webhook_id, 'failed', json_build_object('deviceId', entry.device_id, 'installationId', entry.id,
		'appId', (SELECT app_id FROM app_version WHERE id = NEW.version_id),
		'message', CASE WHEN NEW.problem LIKE '{%' THEN left(NEW.problem::json ->> 'message', 300) END)::text
	FROM (
		SELECT webhook.id AS webhook_id, installation.device_id, installation.id
		FROM installation
		JOIN webhook ON webhook.account_id = installation.owner_id AND webhook.is_enabled AND webhook.events & 8 <> 0
		WHERE installation.place = NEW.place
		LIMIT 1000
	) AS entry;
	IF FOUND THEN
		PERFORM pg_notify('displayd_hint', 'webhook:due');
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER render_failing AFTER UPDATE OF misses ON render
	FOR EACH ROW WHEN (NEW.misses = 1 AND NEW.generation > OLD.generation) EXECUTE FUNCTION render_failed();

CREATE FUNCTION webhook_bit(kind text) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE kind WHEN 'online' THEN 1 WHEN 'pushed' THEN 2 WHEN 'changed' THEN 4 WHEN 'failed' THEN 8 ELSE 0 END
$$;

CREATE FUNCTION webhook_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	of_account uuid := CASE TG_OP WHEN 'DELETE' THEN OLD.account_id ELSE NEW.account_id END;
	wanted_before int4;
	wanted int4;
	more int4 := CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END;
BEGIN
	-- Locks the row first: then the sum is made of all that is committed.
	SELECT webhook_events INTO wanted_before FROM account WHERE id = of_account FOR NO KEY UPDATE;
	UPDATE account
	SET webhook_count = webhook_count + more,
		webhook_events = (
			SELECT coalesce(bit_or(events), 0) FROM webhook WHERE account_id = of_account AND is_enabled)
	WHERE id = of_account
	RETURNING webhook_events INTO wanted;
	IF wanted <> wanted_before THEN
		IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.switched_off_at IS NULL) THEN
			PERFORM webhook_pace(of_account);
		END IF;
		-- Locks them in the order in which all do.
		PERFORM FROM device WHERE account_id = of_account AND webhook_events <> wanted ORDER BY id FOR NO KEY UPDATE;
		UPDATE device SET webhook_events = wanted WHERE account_id = of_account AND webhook_events <> wanted;
	END IF;
	IF TG_OP = 'UPDATE' THEN
		-- A message that has been tried keeps its events.
		DELETE FROM webhook_event
		WHERE webhook_id = NEW.id AND (
			NEW.is_enabled IS DISTINCT FROM OLD.is_enabled
			OR (NEW.events <> OLD.events AND NEW.events & webhook_bit(kind) = 0
				AND (NEW.message_numbers IS NULL OR number <> ALL (NEW.message_numbers))));
		DELETE FROM webhook_online WHERE webhook_id = NEW.id AND (NOT NEW.is_enabled OR NEW.events & 1 = 0);
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER webhook_change AFTER INSERT OR DELETE OR UPDATE OF events, is_enabled ON webhook
	FOR EACH ROW EXECUTE FUNCTION webhook_changed();

-- A message of what is no longer kept is none.
CREATE FUNCTION webhook_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.message_id := NULL;
	NEW.message_at := NULL;
	NEW.message_numbers := NULL;
	NEW.message_lost := 0;
	NEW.lost := 0;
	NEW.tries := 0;
	NEW.failing_since := NULL;
	NEW.next_at := '-infinity';
	IF NEW.is_enabled THEN
		NEW.switched_off_at := NULL;
	END IF;
	RETURN NEW;
END
$$;
CREATE TRIGGER webhook_end BEFORE UPDATE OF is_enabled ON webhook
	FOR EACH ROW WHEN (NEW.is_enabled IS DISTINCT FROM OLD.is_enabled) EXECUTE FUNCTION webhook_ended();

-- JSON with the names of the events of these bits.
CREATE FUNCTION webhook_event_names(events int4) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT json_agg(name ORDER BY bit)::text
	FROM (VALUES (1, 'online'), (2, 'pushed'), (4, 'changed'), (8, 'failed')) AS known (bit, name)
	WHERE events & bit <> 0
$$;

-- A URL without its path, which may hold a secret of the receiver.
CREATE FUNCTION webhook_host(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT left(substring(url FROM '^[^/]*//[^/?]*'), 200)
$$;

-- Refuses what comes too often of what the owner does. What the server switches off, and removals, which need a
-- creation each, are not counted.
CREATE FUNCTION webhook_pace(of_account uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE account
	SET webhook_paced_until = greatest(webhook_paced_until, present_time()) + interval '1 second'
	WHERE id = of_account AND webhook_paced_until <= present_time() + interval '19 seconds';
	IF NOT FOUND THEN
		RAISE EXCEPTION 'what the webhooks want changes too often' USING
			ERRCODE = '54D02';
	END IF;
END
$$;

-- The workers hear of events that wait, and of nothing else: so what nobody wants makes none of them look.
CREATE FUNCTION webhook_tell(of_account uuid, wanted int4, name text, told text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO webhook_event (webhook_id, kind, data)
	SELECT id, name, told
	FROM webhook
	WHERE account_id = of_account AND is_enabled AND events & wanted <> 0;
	SELECT pg_notify('displayd_hint', 'webhook:due')
$$;

CREATE FUNCTION webhook_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
