-- All of the audit log has a bound: of each action the accounts had shares, but accounts come and go. Above the
-- bound the oldest entries go: first those of what accounts do with their own things, then those of sign-ins,
-- registrations and removals, never those of administrators, reviewers and displayctl. So no number of changes
-- displaces a sign-in, and no number of accounts what an administrator did.
--
-- Entries of a removed account stay as those of others: they are how somebody learns what it did. No row changes.
-- Above the bound, rows go with the next entries. Earlier programs may run meanwhile.

-- 0: goes first; 1: goes where there is none of 0; 2: stays for its year.
CREATE FUNCTION audit_rank(action text) RETURNS int2 LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'passkey.add')
		THEN 0 WHEN action IN ('account.create', 'account.remove', 'device.remove', 'passkey.remove',
			'password.change', 'session.end', 'session.start', 'version.remove')
		THEN 1 ELSE 2 END)::int2
$$;

-- Entries of all, about: what PostgreSQL has counted last is compared with it.
CREATE FUNCTION audit_bound() RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
	SELECT 1000000::int8
$$;

CREATE INDEX audit_entry_rank ON audit_entry (audit_rank(action), created_at) WHERE audit_rank(action) < 2;

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

-- ---- what an account stores ----

-- The function of migration 0027, but NULL if the push replaces as many bytes as it brings: such a push fits whatever
-- the account stores, so nothing is added up. Earlier programs take NULL for a push that they had room for.
CREATE OR REPLACE FUNCTION push_room(of_account uuid, of_device uuid, of_entry text, is_shown boolean, bytes int8)
RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	more int8 := bytes;
BEGIN
	IF of_entry IS NOT NULL THEN
		more := more - coalesce((
			SELECT length(picture)
			FROM installation
			WHERE device_id = of_device AND id = of_entry), 0);
	END IF;
	IF is_shown THEN
		more := more - coalesce((SELECT length(picture) FROM showing WHERE device_id = of_device), 0);
	END IF;
	RETURN CASE WHEN more > 0 THEN account_bytes_left(of_account) - more END;
END
$$;
