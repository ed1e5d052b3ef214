-- Log of who did what. It is bounded: in number, in age, and in a share for each account and action.

-- Order in which entries go if there are too many: 0 first, 1 if there is none of 0; 2 stays for its year.
CREATE FUNCTION audit_rank(action text) RETURNS int2 LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'mqtt.remove',
			'mqtt.update', 'passkey.add', 'webhook.create', 'webhook.remove', 'webhook.secret', 'webhook.update')
		THEN 0 WHEN action IN ('account.create', 'account.remove', 'device.remove', 'passkey.remove',
			'password.change', 'session.end', 'session.start', 'version.remove')
		THEN 1 ELSE 2 END)::int2
$$;

CREATE TABLE audit_entry (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	account_id uuid,
	actor text NOT NULL,
	action text NOT NULL,
	target text,
	address text,
	session_id uuid,
	number int8 NOT NULL,
	times int4 NOT NULL DEFAULT 1,
	last_at timestamptz NOT NULL
);
CREATE INDEX audit_entry_oldest ON audit_entry (created_at);
CREATE INDEX audit_entry_rank ON audit_entry (audit_rank(action), created_at) WHERE audit_rank(action) < 2;
CREATE INDEX audit_entry_session ON audit_entry (session_id, action, target, created_at)
	WHERE session_id IS NOT NULL;
CREATE INDEX audit_entry_share ON audit_entry (account_id, action, number);
COMMENT ON TABLE audit_entry IS 'who did what, when, from where; kept when the account is gone';
COMMENT ON COLUMN audit_entry.account_id IS 'who; NULL: a program on the server';
COMMENT ON COLUMN audit_entry.actor IS 'its e-mail address or name, as it was then';
COMMENT ON COLUMN audit_entry.session_id IS
	'in which it was done; with an API key: the account. NULL: before there was one, or on the server';
COMMENT ON COLUMN audit_entry.number IS
	'grows with the entries that the account has of this action: the share is counted by it';
COMMENT ON COLUMN audit_entry.times IS 'equal changes of the session within a minute are one entry';
COMMENT ON COLUMN audit_entry.last_at IS 'of the last one of several; of one: created_at';

-- Limit of all entries, about: what PostgreSQL has counted last is compared with it.
CREATE FUNCTION audit_bound() RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
	SELECT 1000000::int8
$$;

-- Deletes what is above the limits: none of the accounts fills the log alone.
CREATE FUNCTION audit_entry_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	oldest timestamptz := present_time() - interval '1 year';
BEGIN
	DELETE FROM audit_entry
	WHERE id IN (
		SELECT id
		FROM audit_entry
		WHERE action = NEW.action AND number <= NEW.number - audit_share(NEW.action)
			AND (account_id = NEW.account_id OR (account_id IS NULL AND NEW.account_id IS NULL))
		LIMIT 100
		FOR UPDATE SKIP LOCKED);
	DELETE FROM audit_entry
	WHERE id IN (
		SELECT id
		FROM audit_entry
		WHERE created_at < oldest
		ORDER BY created_at
		LIMIT 100
		FOR UPDATE SKIP LOCKED);
	IF (SELECT reltuples > audit_bound() FROM pg_class WHERE oid = TG_RELID) THEN
		DELETE FROM audit_entry
		WHERE id IN (
			SELECT id
			FROM audit_entry
			WHERE audit_rank(action) < 2 AND id <> NEW.id
			ORDER BY audit_rank(action), created_at
			LIMIT 5
			FOR UPDATE SKIP LOCKED);
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER audit_entry_bound AFTER INSERT ON audit_entry
	FOR EACH ROW EXECUTE FUNCTION audit_entry_bounded();

-- Programs name the operator of the machine by the session of all ones: the actor is displayctl, and no account,
-- whosever things were changed. So no statement says of an owner what the operator did.
CREATE FUNCTION audit_entry_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	minute_ago timestamptz := present_time() - interval '1 minute';
BEGIN
	NEW.session_id := nullif(NEW.session_id, '00000000-0000-0000-0000-000000000000');
	IF NEW.session_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN
		NEW.account_id := NULL;
		NEW.actor := 'displayctl';
		NEW.address := NULL;
		NEW.session_id := NULL;
	END IF;
	IF NEW.session_id IS NOT NULL THEN
		UPDATE audit_entry
		SET times = times + 1, last_at = present_time()
		WHERE id = (
			SELECT id
			FROM audit_entry
			WHERE session_id = NEW.session_id AND action = NEW.action
				AND (target = NEW.target OR (target IS NULL AND NEW.target IS NULL))
				AND created_at > minute_ago
				AND account_id IS NOT DISTINCT FROM NEW.account_id
				AND actor = NEW.actor AND address IS NOT DISTINCT FROM NEW.address
			ORDER BY created_at DESC
			LIMIT 1
			FOR UPDATE SKIP LOCKED);
		IF FOUND THEN
			RETURN NULL;
		END IF;
	END IF;
	IF NEW.account_id IS NULL THEN
		NEW.number := 1 + coalesce((
			SELECT max(number) FROM audit_entry WHERE account_id IS NULL AND action = NEW.action), 0);
	ELSE
		NEW.number := 1 + coalesce((
			SELECT max(number) FROM audit_entry
			WHERE account_id = NEW.account_id AND action = NEW.action), 0);
	END IF;
	NEW.last_at := NEW.created_at;
	RETURN NEW;
END
$$;
CREATE TRIGGER audit_entry_place BEFORE INSERT ON audit_entry
	FOR EACH ROW EXECUTE FUNCTION audit_entry_placed();

-- Number of entries that an account may have of an action.
CREATE FUNCTION audit_share(action text) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'mqtt.remove',
			'mqtt.update', 'passkey.add', 'webhook.create', 'webhook.remove', 'webhook.secret', 'webhook.update')
		THEN 1000 ELSE 10000 END
$$;
