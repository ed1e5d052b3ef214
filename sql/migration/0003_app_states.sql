-- What an app's state may be, and a snapshot that nobody changes in any mode of a session.

ALTER TABLE app ADD COLUMN is_submitted boolean NOT NULL DEFAULT false;
UPDATE app SET is_submitted = EXISTS (SELECT FROM app_version WHERE app_id = app.id);
COMMENT ON COLUMN app.is_submitted IS
	'it has a version. Kept in its row, so that an upload and a change of its state, which both '
	'write there, never miss each other';

-- Also in the state that stands behind "disabled".
UPDATE app SET status = 'pending' WHERE status = 'draft' AND is_submitted;
ALTER TABLE app
	ADD CONSTRAINT app_status_draft CHECK (status <> 'draft' OR NOT is_submitted),
	ADD CONSTRAINT app_status_pending CHECK (
		status <> 'pending' OR (is_submitted AND deployed_version_id IS NULL)),
	ADD CONSTRAINT app_status_active CHECK (status <> 'active' OR deployed_version_id IS NOT NULL);

-- Also where session_replication_role turns ordinary triggers off.
ALTER TABLE app_version ENABLE ALWAYS TRIGGER app_version_immutable;

CREATE FUNCTION app_version_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'a version cannot be removed' USING
		ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'app_version_immutable';
END
$$;
CREATE TRIGGER app_version_kept BEFORE TRUNCATE ON app_version
	FOR EACH STATEMENT EXECUTE FUNCTION app_version_is_kept();
ALTER TABLE app_version ENABLE ALWAYS TRIGGER app_version_kept;
