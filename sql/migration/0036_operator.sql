-- Entries of the operator of the machine, whom programs name by the session of all ones: the actor is displayctl, and
-- no account, whosever things were changed. So no statement says of an owner what the operator did.
--
-- displayctl finds devices by their names, and by what their panels tell, among those of all accounts.
--
-- No row changes. Earlier programs may run meanwhile: they have no such session.

CREATE OR REPLACE FUNCTION audit_entry_placed() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE INDEX device_lower_name ON device (lower(name));
