-- Versions that their owner installs on a device, and approves so. There are none so far. Nobody else has read them, so
-- an app that shows one stays private.
--
-- The review's summary marks them, which an export of the account carries along. Older instances that run meanwhile may
-- deploy such a version, and cannot make its app public.
CREATE FUNCTION own_approval() RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'Installed by its owner; nobody else has reviewed it.'
$$;

-- The version that the app deploys was approved before, or in the same statement, and neither changes afterwards.
CREATE FUNCTION app_shown_is_reviewed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (
		SELECT
		FROM app_version
		WHERE id = NEW.deployed_version_id AND review_summary = own_approval())
	THEN
		RAISE EXCEPTION 'only its owner has approved the deployed version' USING
			ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'app_public_is_reviewed';
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_public_is_reviewed AFTER INSERT OR UPDATE OF visibility, deployed_version_id ON app
	FOR EACH ROW WHEN (NEW.visibility <> 'private' AND NEW.deployed_version_id IS NOT NULL)
	EXECUTE FUNCTION app_shown_is_reviewed();
ALTER TABLE app ENABLE ALWAYS TRIGGER app_public_is_reviewed;

-- True if so many further bytes of an account fit; else the statement is refused.
CREATE FUNCTION account_takes(of_account uuid, bytes int8) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF account_bytes_left(of_account) < bytes THEN
		RAISE EXCEPTION 'the account has no room for this' USING
			ERRCODE = '54D01';
	END IF;
	RETURN true;
END
$$;
