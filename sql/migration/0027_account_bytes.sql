-- Pushed pictures, drafts and versions of an account are limited in bytes. Sums stand in the rows of devices and
-- apps, so pushes of an account do not wait for each other: no row of the account is locked. Accounts that are
-- above the limit keep everything, and may replace it by what is smaller.
--
-- Earlier programs may run meanwhile: what they upload, save, make and remove is counted by the triggers. What
-- their pushes replace is not, until "displayctl account limit" counts what the account has anew.

ALTER TABLE device ADD COLUMN picture_bytes int8 NOT NULL DEFAULT 0;
ALTER TABLE app ADD COLUMN content_bytes int8 NOT NULL DEFAULT 0;
ALTER TABLE installation ADD COLUMN replaced_bytes int4;
ALTER TABLE showing ADD COLUMN replaced_bytes int4;
ALTER TABLE account
	ADD COLUMN byte_limit int8 NOT NULL DEFAULT 0,
	ADD CONSTRAINT account_byte_limit_range CHECK (byte_limit BETWEEN 0 AND 1000000000000000);
COMMENT ON COLUMN device.picture_bytes IS
	'of pushed pictures; kept by the statements that replace one, and a trigger on entries that come and go';
COMMENT ON COLUMN app.content_bytes IS
	'of its draft and versions, kept by triggers; without those that it had when its account got it';
COMMENT ON COLUMN installation.replaced_bytes IS
	'of the picture that the last push replaced: tells the statement of the push; NULL: none was';
COMMENT ON COLUMN showing.replaced_bytes IS 'likewise';
COMMENT ON COLUMN account.byte_limit IS
	'of pictures, drafts and versions together, set by an administrator; 0: the default';

-- ---- limits ----

-- byte_limit: that was set; 0: the default, the larger of 256 MiB and 256 KiB a device.
CREATE FUNCTION bytes_allowed(byte_limit int8, devices int4) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN byte_limit > 0 THEN byte_limit
		ELSE greatest(268435456, 262144 * devices::int8) END
$$;

-- What accounts use, and may use.
CREATE FUNCTION account_bytes(of_account uuid) RETURNS int8 LANGUAGE sql STABLE AS $$
	SELECT (
		(SELECT coalesce(sum(picture_bytes), 0) FROM device WHERE account_id = of_account)
		+ (SELECT coalesce(sum(content_bytes), 0) FROM app
			WHERE account_id = of_account AND imported_as IS NULL))::int8
$$;
CREATE FUNCTION account_bytes_left(of_account uuid) RETURNS int8 LANGUAGE sql STABLE AS $$
	SELECT bytes_allowed(byte_limit, device_count) - account_bytes(id)
	FROM account
	WHERE id = of_account
$$;

-- What is left to an account after a push of so many bytes; below 0: the push does not fit. One that replaces
-- a picture of as many bytes always fits. of_entry: the installation that is pushed; NULL: a temporary picture.
-- VOLATILE: it sees what was stored before the device's row was locked.
CREATE FUNCTION push_room(of_account uuid, of_device uuid, of_entry text, is_shown boolean, bytes int8)
RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	more int8 := bytes;
	bytes_left int8;
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
	bytes_left := account_bytes_left(of_account) - more;
	RETURN CASE WHEN more <= 0 THEN greatest(0, bytes_left) ELSE bytes_left END;
END
$$;

-- True where so many further bytes of an app fit; else the statement is refused.
CREATE FUNCTION app_takes(of_app uuid, bytes int8) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF bytes > 0 AND EXISTS (
		SELECT
		FROM app
		WHERE id = of_app AND account_bytes_left(account_id) < bytes)
	THEN
		RAISE EXCEPTION 'the account has no room for this' USING
			ERRCODE = '54D01';
	END IF;
	RETURN true;
END
$$;

-- ---- what is counted ----

-- As before, and the bytes.
CREATE OR REPLACE FUNCTION installation_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE device
		SET entry_count = entry_count + 1,
			picture_bytes = picture_bytes + coalesce(length(NEW.picture), 0)
		WHERE id = NEW.device_id;
	ELSE
		-- Also where an entry goes with its app: the panel must learn of it.
		UPDATE device
		SET entry_count = entry_count - 1, generation = generation + 1,
			picture_bytes = greatest(0, picture_bytes - coalesce(length(OLD.picture), 0))
		WHERE id = OLD.device_id;
	END IF;
	RETURN NULL;
END
$$;

CREATE FUNCTION app_draft_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	more int8 := 0;
BEGIN
	IF TG_OP <> 'INSERT' THEN
		more := more - octet_length(OLD.script_content);
	END IF;
	IF TG_OP <> 'DELETE' THEN
		more := more + octet_length(NEW.script_content);
	END IF;
	IF more <> 0 THEN
		UPDATE app SET content_bytes = greatest(0, content_bytes + more)
		WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.app_id ELSE NEW.app_id END;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_draft_count AFTER INSERT OR DELETE OR UPDATE OF script_content ON app_draft
	FOR EACH ROW EXECUTE FUNCTION app_draft_counted();

-- What others have stored is nothing that the account of an app has to answer for.
CREATE FUNCTION app_inherited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.content_bytes := 0;
	RETURN NEW;
END
$$;
CREATE TRIGGER app_inherit BEFORE UPDATE OF account_id ON app
	FOR EACH ROW WHEN (NEW.account_id IS DISTINCT FROM OLD.account_id)
	EXECUTE FUNCTION app_inherited();

-- ---- versions that their owner removes ----

CREATE TABLE app_version_removed (
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	name text NOT NULL,
	removed_at timestamptz NOT NULL DEFAULT present_time(),
	PRIMARY KEY (app_id, name)
);
COMMENT ON TABLE app_version_removed IS
	'a row here removes the version, unless it is the deployed one; its name is used for ever';
COMMENT ON COLUMN app.version_count IS
	'versions that it ever had, kept by a trigger: for the limit, which is one of names, too';

CREATE FUNCTION app_version_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM app_version WHERE app_id = NEW.app_id AND name = NEW.name;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_go AFTER INSERT ON app_version_removed
	FOR EACH ROW EXECUTE FUNCTION app_version_goes();

CREATE OR REPLACE FUNCTION app_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		-- With its app, or by its owner, who leaves the name: that is used once per app for ever.
		IF EXISTS (SELECT FROM app WHERE id = OLD.app_id AND NOT is_removed)
			AND NOT EXISTS (
				SELECT FROM app_version_removed WHERE app_id = OLD.app_id AND name = OLD.name)
		THEN
			RAISE EXCEPTION 'a version cannot be removed' USING
				ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'app_version_immutable';
		END IF;
		RETURN OLD;
	END IF;
	IF (NEW.id, NEW.app_id, NEW.sequence, NEW.name, NEW.script_language, NEW.script_content,
			NEW.checksum, NEW.created_at)
		IS DISTINCT FROM (OLD.id, OLD.app_id, OLD.sequence, OLD.name, OLD.script_language,
			OLD.script_content, OLD.checksum, OLD.created_at)
	THEN
		RAISE EXCEPTION 'a version is an immutable snapshot' USING
			ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'app_version_immutable';
	END IF;
	IF OLD.status <> 'PENDING' THEN
		RAISE EXCEPTION 'a version is reviewed once' USING
			ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'app_version_reviewed_once';
	END IF;
	RETURN NEW;
END
$$;

-- After the insert: that waits for a removal of the same name, which is seen then.
CREATE OR REPLACE FUNCTION app_version_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM app_version_removed WHERE app_id = NEW.app_id AND name = NEW.name) THEN
		RAISE EXCEPTION 'a version of this name was removed' USING
			ERRCODE = 'unique_violation', CONSTRAINT = 'app_version_name_unique';
	END IF;
	UPDATE app
	SET version_count = version_count + 1,
		content_bytes = content_bytes + octet_length(NEW.script_content)
	WHERE id = NEW.app_id;
	RETURN NULL;
END
$$;

-- An app whose last version was removed is what it was before its first.
CREATE FUNCTION app_versions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE app
	SET content_bytes = greatest(0, content_bytes - gone.bytes),
		is_submitted = app.is_submitted AND (app.is_removed OR kept.is_any),
		status = CASE WHEN app.status = 'pending' AND NOT kept.is_any THEN 'draft' ELSE app.status END
	FROM (
		SELECT app_id, sum(octet_length(script_content)) AS bytes
		FROM gone
		GROUP BY app_id
	) AS gone
	CROSS JOIN LATERAL (
		SELECT EXISTS (SELECT FROM app_version WHERE app_version.app_id = gone.app_id) AS is_any
	) AS kept
	WHERE app.id = gone.app_id;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_gone AFTER DELETE ON app_version
	REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_versions_gone();

-- ---- what there is already ----

-- The triggers hold the tables until the end: nobody changes what is summed.
UPDATE app
SET content_bytes = coalesce((SELECT octet_length(script_content) FROM app_draft WHERE app_id = app.id), 0)
	+ coalesce((SELECT sum(octet_length(script_content)) FROM app_version WHERE app_id = app.id), 0);

LOCK TABLE installation, showing IN SHARE ROW EXCLUSIVE MODE;
-- VOLATILE: it sees what was stored before the device's row was locked.
CREATE FUNCTION pushed_bytes(of_device uuid) RETURNS int8 LANGUAGE sql VOLATILE AS $$
	SELECT coalesce((SELECT sum(length(picture)) FROM installation WHERE device_id = of_device), 0)
		+ coalesce((SELECT length(picture) FROM showing WHERE device_id = of_device), 0)
$$;
UPDATE device
SET picture_bytes = pushed_bytes(id)
WHERE pushed_bytes(id) > 0;
