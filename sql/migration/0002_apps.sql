-- Apps, their immutable versions, and what reviewers said of them.

CREATE TABLE app (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	slug text NOT NULL,
	name text NOT NULL,
	description text NOT NULL DEFAULT '',
	visibility text NOT NULL DEFAULT 'private',
	status text NOT NULL DEFAULT 'draft',
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	generation int8 NOT NULL DEFAULT 0,
	version_count int4 NOT NULL DEFAULT 0,
	deployed_version_id uuid,
	deployed_status text GENERATED ALWAYS AS (
		CASE WHEN deployed_version_id IS NOT NULL THEN 'APPROVED' END) STORED,
	CONSTRAINT app_slug_unique UNIQUE (slug),
	CONSTRAINT app_slug_form CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
	CONSTRAINT app_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT app_description_length CHECK (char_length(description) <= 500),
	CONSTRAINT app_visibility_known CHECK (visibility IN ('private', 'public', 'legacy')),
	CONSTRAINT app_version_limit CHECK (version_count BETWEEN 0 AND 10000),
	CONSTRAINT app_status_known CHECK (status IN ('draft', 'pending', 'active', 'disabled'))
);
CREATE INDEX app_account ON app (account_id);
CREATE INDEX app_listed ON app (name, id) WHERE status = 'active';
COMMENT ON COLUMN app.visibility IS
	'legacy: made before there was such an attribute; treated as not private';
COMMENT ON COLUMN app.status IS
	'draft: no submission yet; pending: none approved yet; disabled: by an administrator';
COMMENT ON COLUMN app.version_count IS 'rows in app_version, kept by a trigger: for the limit';
COMMENT ON COLUMN app.generation IS 'grows with every deploy; instances tell each other of it';

CREATE TABLE app_version (
	id uuid PRIMARY KEY,
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	sequence int8 GENERATED ALWAYS AS IDENTITY,
	name text NOT NULL,
	script_language text NOT NULL,
	script_content text NOT NULL,
	checksum text NOT NULL,
	status text NOT NULL DEFAULT 'PENDING',
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	reviewed_at timestamptz,
	rejection_reason text,
	review_summary text,
	CONSTRAINT app_version_name_unique UNIQUE (app_id, name),
	CONSTRAINT app_version_status_unique UNIQUE (app_id, id, status),
	CONSTRAINT app_version_name_form CHECK (name ~ '^[A-Za-z0-9._-]{1,64}$'),
	CONSTRAINT app_version_language_known CHECK (script_language IN ('STARLARK', 'TYPESCRIPT')),
	CONSTRAINT app_version_script_size CHECK (octet_length(script_content) BETWEEN 1 AND 1000000),
	CONSTRAINT app_version_status_known CHECK (
		status IN ('PENDING', 'APPROVED', 'CHANGES_REQUESTED', 'REJECTED')),
	CONSTRAINT app_version_reviewed CHECK ((status = 'PENDING') = (reviewed_at IS NULL)),
	CONSTRAINT app_version_rejected CHECK (status = 'REJECTED' OR rejection_reason IS NULL)
);
CREATE UNIQUE INDEX app_version_one_pending ON app_version (app_id) WHERE status = 'PENDING';
CREATE INDEX app_version_newest ON app_version (app_id, sequence DESC);
COMMENT ON COLUMN app_version.sequence IS 'order of submission';
COMMENT ON INDEX app_version_one_pending IS 'one version of an app awaits review at a time';

-- Only an approved version of the same app can be the deployed one: the generated column makes the
-- foreign key say so.
ALTER TABLE app ADD CONSTRAINT app_deployed_is_approved
	FOREIGN KEY (id, deployed_version_id, deployed_status)
	REFERENCES app_version (app_id, id, status);

CREATE TABLE app_version_comment (
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	position int4 NOT NULL,
	author text NOT NULL,
	comment text NOT NULL,
	line int4,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (version_id, position),
	CONSTRAINT app_version_comment_line CHECK (line >= 1),
	CONSTRAINT app_version_comment_length CHECK (char_length(comment) BETWEEN 1 AND 4000)
);

-- A version is a snapshot for ever: whoever asks, only its review may change, and that once.
CREATE FUNCTION app_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		-- With its app, or not at all: a name is used once per app for ever.
		IF EXISTS (SELECT FROM app WHERE id = OLD.app_id) THEN
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
CREATE TRIGGER app_version_immutable BEFORE UPDATE OR DELETE ON app_version
	FOR EACH ROW EXECUTE FUNCTION app_version_is_immutable();

CREATE FUNCTION app_version_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE app SET version_count = version_count + 1 WHERE id = NEW.app_id;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_count AFTER INSERT ON app_version
	FOR EACH ROW EXECUTE FUNCTION app_version_counted();

ALTER TABLE installation
	ADD CONSTRAINT installation_app FOREIGN KEY (app_id) REFERENCES app ON DELETE CASCADE;
CREATE INDEX installation_of_app ON installation (app_id) WHERE app_id IS NOT NULL;

-- Zones that PostgreSQL does not know make timezone() fail with 22023.
ALTER TABLE device
	ADD CONSTRAINT device_timezone_known CHECK (timezone(timezone, timestamptz 'epoch') IS NOT NULL);

-- What reviewers said of a version, as the API shows it.
CREATE FUNCTION review_comments(of_version_id uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT '[' || coalesce(string_agg(row_to_json(entry)::text, ',' ORDER BY position), '') || ']'
	FROM app_version_comment,
		LATERAL (SELECT author, comment, line,
			to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt")
			AS entry
	WHERE version_id = of_version_id
$$;
