-- Authors work in the pages: a draft for each app, and a bound on how many apps an account makes.

CREATE TABLE app_draft (
	app_id uuid PRIMARY KEY REFERENCES app ON DELETE CASCADE,
	script_language text NOT NULL,
	script_content text NOT NULL,
	revision int8 NOT NULL DEFAULT 1,
	updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	CONSTRAINT app_draft_language_known CHECK (script_language IN ('STARLARK', 'TYPESCRIPT')),
	CONSTRAINT app_draft_script_size CHECK (octet_length(script_content) <= 1000000)
);
COMMENT ON TABLE app_draft IS 'what the author works on: saving changes this and no version';
COMMENT ON COLUMN app_draft.revision IS
	'grows with every change; who saves says which one was changed, so that two windows of one '
	'author do not overwrite each other';

ALTER TABLE account
	ADD COLUMN app_count int4 NOT NULL DEFAULT 0,
	ADD CONSTRAINT account_app_limit CHECK (app_count BETWEEN 0 AND 5000);
COMMENT ON COLUMN account.app_count IS
	'apps that it has made, kept by a trigger: for the limit. Apps that it got from another account '
	'do not count, so that their owner can always go';
UPDATE account
SET app_count = least(5000, (SELECT count(*) FROM app WHERE account_id = account.id));

CREATE FUNCTION app_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE account SET app_count = app_count + 1 WHERE id = NEW.account_id;
	ELSE
		UPDATE account SET app_count = greatest(0, app_count - 1) WHERE id = OLD.account_id;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_count AFTER INSERT OR DELETE OR UPDATE OF account_id ON app
	FOR EACH ROW EXECUTE FUNCTION app_counted();

-- The queue of reviewers, oldest first.
CREATE INDEX app_version_pending ON app_version (sequence) WHERE status = 'PENDING';
CREATE INDEX account_reviewer ON account (id) WHERE is_reviewer;
