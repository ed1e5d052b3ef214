-- Statements read no more rows than they return, however many others have made: indexes in the order of lists, counts
-- and owners where rows were counted or joined, and queues of what is to be done. Earlier programs may run meanwhile:
-- triggers keep the new columns for them, too; their lists of apps sort all apps. No row breaks a new rule.

-- Lists of apps: public ones, and each account's own private ones. All active apps have a deployed version.
DROP INDEX app_listed;
CREATE INDEX app_listed ON app (name COLLATE "C", id)
	WHERE status = 'active' AND visibility <> 'private' AND deployed_version_id IS NOT NULL;
CREATE INDEX app_listed_private ON app (account_id, name COLLATE "C", id)
	WHERE status = 'active' AND visibility = 'private' AND deployed_version_id IS NOT NULL;
DROP INDEX app_account;
CREATE INDEX app_account ON app (account_id, created_at, id);

-- A search reads all apps, but folds the case of none.
ALTER TABLE app ADD COLUMN search_text text GENERATED ALWAYS AS (
	lower(name || E'\n' || slug || E'\n' || description || E'\n' || coalesce(author, ''))) STORED;
COMMENT ON COLUMN app.search_text IS
	'what the catalogue is searched in, beside the name of its account where it has no author';
ALTER TABLE account ADD COLUMN search_name text GENERATED ALWAYS AS (lower(name)) STORED;

-- Keys: those that were revoked may be many.
DROP INDEX api_key_account;
CREATE INDEX api_key_account ON api_key (account_id, revoked_at);
CREATE INDEX api_key_alive ON api_key (account_id, created_at, id) WHERE revoked_at IS NULL;

-- The apps that an account owns, made by it or not.
ALTER TABLE account ADD COLUMN owned_app_count int8 NOT NULL DEFAULT 0;
UPDATE account SET owned_app_count = counted.apps
FROM (SELECT account_id, count(*) AS apps FROM app GROUP BY account_id) AS counted
WHERE counted.account_id = account.id;
COMMENT ON COLUMN account.owned_app_count IS 'rows in app, kept by a trigger';

CREATE OR REPLACE FUNCTION app_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE account SET app_count = app_count + 1, owned_app_count = owned_app_count + 1
		WHERE id = NEW.account_id;
	ELSE
		UPDATE account SET app_count = greatest(0, app_count - 1), owned_app_count = owned_app_count - 1
		WHERE id = OLD.account_id;
		IF TG_OP = 'UPDATE' THEN
			UPDATE account SET owned_app_count = owned_app_count + 1 WHERE id = NEW.account_id;
		END IF;
	END IF;
	RETURN NULL;
END
$$;

-- Installations by their owner: whether a place or an app is also another account's takes one look, and an account finds
-- its own among those of all. A device never changes its account.
ALTER TABLE installation ADD COLUMN owner_id uuid;
COMMENT ON COLUMN installation.owner_id IS
	'the account of its device, kept by a trigger; NULL: it is no app''s';
CREATE OR REPLACE FUNCTION installation_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	new_place bytea;
BEGIN
	SELECT account_id, render_place(NEW.app_id, NEW.settings_hash, timezone, locale,
		coalesce(NEW.display_s, schedule_interval_s), picture_limit_bytes)
	INTO NEW.owner_id, new_place FROM device WHERE id = NEW.device_id;
	IF TG_OP = 'UPDATE' AND OLD.place <> new_place THEN
		IF EXISTS (
			SELECT
			FROM render
			WHERE place = OLD.place AND picture_generation > 0 AND NOT has_nothing)
		THEN
			NEW.last_place := OLD.place;
		END IF;
		NEW.last_place := nullif(NEW.last_place, new_place);
	END IF;
	NEW.place := new_place;
	RETURN NEW;
END
$$;
UPDATE installation SET owner_id = device.account_id
FROM device
WHERE device.id = installation.device_id AND installation.app_id IS NOT NULL;
DROP INDEX installation_of_app;
CREATE INDEX installation_of_app ON installation (app_id, owner_id) WHERE app_id IS NOT NULL;
DROP INDEX installation_of_place;
CREATE INDEX installation_of_place ON installation (place, owner_id) WHERE place IS NOT NULL;

CREATE OR REPLACE FUNCTION is_place_of_others(of_place bytea, than_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM installation WHERE place = of_place AND owner_id < than_account)
		OR EXISTS (SELECT FROM installation WHERE place = of_place AND owner_id > than_account)
$$;

-- Whether accounts other than its own have installed an app.
CREATE FUNCTION is_app_of_others(of_app uuid, than_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM installation WHERE app_id = of_app AND owner_id < than_account)
		OR EXISTS (SELECT FROM installation WHERE app_id = of_app AND owner_id > than_account)
$$;

-- Most devices have few entries, some have a hundred. Where PostgreSQL expects the usual few, it joins all entries of a
-- device with all of them, and looks for one among all.
ALTER TABLE installation ALTER COLUMN device_id SET (n_distinct = -0.02);

-- Installations that have left a place, in an order, so that a sweep begins where the one before has ended.
CREATE INDEX installation_unsettled ON installation (device_id, id) WHERE last_place IS NOT NULL;

-- Versions in TypeScript that nobody has compiled, in the order of their submission, which is that of their IDs.
CREATE INDEX app_compiled_queue ON app_compiled (version_id) WHERE compiled_at IS NULL AND tries < 5;
COMMENT ON INDEX app_compiled_queue IS 'each version in TypeScript is in it from its submission on';
INSERT INTO app_compiled (version_id)
SELECT id
FROM app_version
WHERE status = 'PENDING' AND script_language = 'TYPESCRIPT'
ON CONFLICT DO NOTHING;
CREATE FUNCTION app_version_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO app_compiled (version_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_queue AFTER INSERT ON app_version
	FOR EACH ROW WHEN (NEW.script_language = 'TYPESCRIPT') EXECUTE FUNCTION app_version_queued();

-- Forms are kept by their use: one account that asks for a version's form in many locales makes many, which nobody uses.
ALTER TABLE app_schema
	ADD COLUMN use_count int4 NOT NULL DEFAULT 0,
	ADD COLUMN used_at timestamptz NOT NULL DEFAULT present_time(),
	ADD COLUMN used_by uuid;
UPDATE app_schema SET used_at = made_at;
COMMENT ON COLUMN app_schema.use_count IS
	'grows once a minute with the use of another account than the last, and once an hour with the same one''s';
COMMENT ON COLUMN app_schema.used_at IS 'when the count last grew';
COMMENT ON COLUMN app_schema.used_by IS 'the account by whose use it did';

ANALYZE app;
ANALYZE installation;
