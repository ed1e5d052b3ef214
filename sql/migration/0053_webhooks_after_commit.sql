-- Events for webhooks are announced after the commit. A NOTIFY by their triggers made each commit hold a lock of the
-- whole cluster until it was on the disk, and on the standby. Now the writer's connection gets a message, and the
-- writer sends the hint (src/db/hook_notice.h).
--
-- No row changes. Older instances may run meanwhile: they ignore the message, so events of their own writes wait until
-- a worker of any instance looks, 2 s at most.

-- Sends one message in a transaction: a group commit has many writes. INFO is sent whatever client_min_messages says.
CREATE FUNCTION webhook_due() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('displayd.webhooks_are_due', true) = 'on' THEN
		RETURN;
	END IF;
	PERFORM set_config('displayd.webhooks_are_due', 'on', true);
	RAISE INFO 'webhooks are due' USING ERRCODE = '01D01';
END
$$;

-- PL/pgSQL keeps the plan, which in SQL was made anew for each change.
CREATE OR REPLACE FUNCTION webhook_tell(of_account uuid, wanted int4, name text, told text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO webhook_event (webhook_id, kind, data)
	SELECT webhook.id, webhook_tell.name, told
	FROM webhook
	WHERE webhook.account_id = of_account AND webhook.is_enabled AND webhook.events & wanted <> 0;
	PERFORM webhook_due();
END
$$;

CREATE OR REPLACE FUNCTION render_failed() RETURNS trigger LANGUAGE plpgsql AS $$
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
		PERFORM webhook_due();
	END IF;
	RETURN NULL;
END
$$;

-- Functions that may send a NOTIFY in their transaction (tools/statement_notify.py).
COMMENT ON FUNCTION app_is_to_be_sealed IS 'rare: an app is deployed, or an import brings its settings';
COMMENT ON FUNCTION account_import_line_apply IS 'rare: an account is imported';
