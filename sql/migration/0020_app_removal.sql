-- An app with thousands of versions goes in portions, as its account's devices do.

ALTER TABLE app
	ADD COLUMN is_removed boolean NOT NULL DEFAULT false,
	ADD CONSTRAINT app_removed CHECK (
		NOT is_removed OR (status = 'disabled' AND deployed_version_id IS NULL));
COMMENT ON COLUMN app.is_removed IS
	'its account is being removed: its versions go first, in portions, and then the app';

CREATE OR REPLACE FUNCTION app_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		-- With its app, or not at all: a name is used once per app for ever.
		IF EXISTS (SELECT FROM app WHERE id = OLD.app_id AND NOT is_removed) THEN
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

-- Else an app could be marked, lose a version, and be there again with the version's name free; or an
-- instance of before could give to another account what is half gone.
CREATE FUNCTION app_removal_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'an app that is being removed is neither kept nor given away' USING
		ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'app_removal_final';
END
$$;
CREATE TRIGGER app_removal_final BEFORE UPDATE ON app
	FOR EACH ROW WHEN (OLD.is_removed
		AND (NOT NEW.is_removed OR NEW.account_id IS DISTINCT FROM OLD.account_id))
	EXECUTE FUNCTION app_removal_is_final();
ALTER TABLE app ENABLE ALWAYS TRIGGER app_removal_final;
