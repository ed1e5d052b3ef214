-- The audit log is kept for a year and bounded by shares: an account keeps so many of its entries of each action.
-- Before, the newest 100,000 of all accounts were kept, and the newest 2,000 of each: whoever changed much
-- pushed out what others had done, and his own sign-ins. Entries above a share go with the account's next one
-- of that action. Earlier programs may run meanwhile: their entries have no session, and stay single.

ALTER TABLE audit_entry
	ADD COLUMN session_id uuid,
	ADD COLUMN number int8,
	ADD COLUMN times int4 NOT NULL DEFAULT 1,
	ADD COLUMN last_at timestamptz;
COMMENT ON COLUMN audit_entry.session_id IS
	'in which it was done; with an API key: the account. NULL: before there was one, or on the server';
COMMENT ON COLUMN audit_entry.number IS
	'grows with the entries that the account has of this action: the share is counted by it';
COMMENT ON COLUMN audit_entry.times IS 'equal changes of the session within a minute are one entry';
COMMENT ON COLUMN audit_entry.last_at IS 'of the last one of several; of one: created_at';

-- Nobody adds an entry without a number between this and the trigger.
LOCK TABLE audit_entry IN SHARE ROW EXCLUSIVE MODE;
UPDATE audit_entry
SET number = counted.number, last_at = audit_entry.created_at
FROM (
	SELECT id, row_number() OVER (PARTITION BY account_id, action ORDER BY id) AS number
	FROM audit_entry
) AS counted
WHERE audit_entry.id = counted.id;
ALTER TABLE audit_entry
	ALTER COLUMN number SET NOT NULL,
	ALTER COLUMN last_at SET NOT NULL;

DROP INDEX audit_entry_account;
CREATE INDEX audit_entry_share ON audit_entry (account_id, action, number);
CREATE INDEX audit_entry_session ON audit_entry (session_id, action, target, created_at)
	WHERE session_id IS NOT NULL;

-- Entries of one action that the log keeps of an account, or of displayctl. Each action has a share of its own,
-- so that no change of an owner displaces a sign-in, a removal, a review or what an administrator did.
CREATE FUNCTION audit_share(action text) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'passkey.add')
		THEN 1000 ELSE 10000 END
$$;

-- Waits for nothing: an entry that another statement has locked is left to that. present_time() is volatile:
-- an index is used where it is called first, and its result compared.
CREATE FUNCTION audit_entry_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	minute_ago timestamptz := present_time() - interval '1 minute';
BEGIN
	NEW.session_id := nullif(NEW.session_id, '00000000-0000-0000-0000-000000000000');
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

CREATE OR REPLACE FUNCTION audit_entry_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
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
	RETURN NULL;
END
$$;
