-- Apps, their immutable versions and drafts, and what engines have made of them.

-- Apps that were imported belong to a collection, which has slugs of its own. So an account's "clock" does not stop
-- the import of the community's, and an import changes no app of another source.
CREATE TABLE app_collection (
	id uuid PRIMARY KEY,
	number int8 GENERATED ALWAYS AS IDENTITY,
	name text NOT NULL,
	source text,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	CONSTRAINT app_collection_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT app_collection_source_length CHECK (char_length(source) BETWEEN 1 AND 5000),
	CONSTRAINT app_collection_name_unique UNIQUE (name)
);
COMMENT ON COLUMN app_collection.number IS 'the order in which they were added';
COMMENT ON COLUMN app_collection.source IS
	'the folder or the address of the repository that was imported last; NULL: not known';

CREATE TABLE app (
	id uuid PRIMARY KEY,
	account_id uuid REFERENCES account ON DELETE CASCADE,
	slug text NOT NULL,
	name text NOT NULL,
	description text NOT NULL DEFAULT '',
	visibility text NOT NULL DEFAULT 'private',
	status text NOT NULL DEFAULT 'draft',
	created_at timestamptz NOT NULL DEFAULT present_time(),
	generation int8 NOT NULL DEFAULT 0,
	version_count int4 NOT NULL DEFAULT 0,
	deployed_version_id uuid,
	deployed_status text GENERATED ALWAYS AS (
		CASE WHEN deployed_version_id IS NOT NULL THEN 'APPROVED' END) STORED,
	is_submitted boolean NOT NULL DEFAULT false,
	author text,
	imported_as text,
	is_removed boolean NOT NULL DEFAULT false,
	content_bytes int8 NOT NULL DEFAULT 0,
	collection_id uuid REFERENCES app_collection,
	category text NOT NULL DEFAULT '',
	tags text NOT NULL DEFAULT '[]',
	broken_reason text,
	search_text text GENERATED ALWAYS AS (
		lower(name || E'\n' || slug || E'\n' || description || E'\n' || coalesce(author, '')
			|| coalesce(E'\n' || nullif(category, ''), '')
			|| coalesce(E'\n' || nullif(tags, '[]'), ''))) STORED,
	CONSTRAINT app_author_length CHECK (char_length(author) BETWEEN 1 AND 100),
	CONSTRAINT app_broken_reason_length CHECK (char_length(broken_reason) BETWEEN 1 AND 500),
	CONSTRAINT app_category_length CHECK (char_length(category) <= 100),
	CONSTRAINT app_description_length CHECK (char_length(description) <= 500),
	CONSTRAINT app_imported_as_length CHECK (char_length(imported_as) BETWEEN 1 AND 100),
	CONSTRAINT app_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT app_owner CHECK (account_id IS NOT NULL OR status = 'disabled'),
	CONSTRAINT app_removed CHECK ( NOT is_removed OR (status = 'disabled' AND deployed_version_id IS NULL)),
	CONSTRAINT app_slug_form CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
	CONSTRAINT app_status_active CHECK (status <> 'active' OR deployed_version_id IS NOT NULL),
	CONSTRAINT app_status_draft CHECK (status <> 'draft' OR NOT is_submitted),
	CONSTRAINT app_status_known CHECK (status IN ('draft', 'pending', 'active', 'disabled')),
	CONSTRAINT app_status_pending CHECK ( status <> 'pending' OR (is_submitted AND deployed_version_id IS NULL)),
	CONSTRAINT app_tags_length CHECK (char_length(tags) BETWEEN 2 AND 5000),
	CONSTRAINT app_version_limit CHECK (version_count BETWEEN 0 AND 10000),
	CONSTRAINT app_visibility_known CHECK (visibility IN ('private', 'public', 'legacy'))
);
CREATE INDEX app_account ON app (account_id, created_at, id);
CREATE INDEX app_listed ON app (name COLLATE "C", id)
	WHERE status = 'active' AND visibility <> 'private' AND deployed_version_id IS NOT NULL;
CREATE INDEX app_listed_private ON app (account_id, name COLLATE "C", id)
	WHERE status = 'active' AND visibility = 'private' AND deployed_version_id IS NOT NULL;
CREATE INDEX app_of_collection ON app (collection_id) WHERE collection_id IS NOT NULL;
-- Finds the apps that the operator has removed, also those of nobody: they are removed in portions, in the background.
CREATE INDEX app_removed ON app (account_id) WHERE is_removed;
CREATE INDEX app_slug ON app (slug, id);
CREATE UNIQUE INDEX app_slug_collection_unique ON app (slug, collection_id) WHERE collection_id IS NOT NULL;
CREATE UNIQUE INDEX app_slug_public_unique ON app (slug)
	WHERE collection_id IS NULL AND visibility <> 'private';
CREATE UNIQUE INDEX app_slug_unique ON app (account_id, slug) WHERE collection_id IS NULL;
COMMENT ON COLUMN app.visibility IS
	'legacy: made before there was such an attribute; treated as not private';
COMMENT ON COLUMN app.status IS
	'draft: no submission yet; pending: none approved yet; disabled: by an administrator';
COMMENT ON COLUMN app.generation IS 'grows with every deploy; instances tell each other of it';
COMMENT ON COLUMN app.version_count IS
	'versions that it ever had, kept by a trigger: for the limit, which is one of names, too';
COMMENT ON COLUMN app.is_submitted IS
	'it has a version. Kept in its row, so that an upload and a change of its state, which both '
	'write there, never miss each other';
COMMENT ON COLUMN app.author IS 'who wrote it, as its manifest says; NULL: the account that owns it';
COMMENT ON COLUMN app.imported_as IS
	'its ID in the collection; only an import of the same changes the app. NULL: not imported';
COMMENT ON COLUMN app.is_removed IS
	'its account is being removed, or the operator has removed it: nobody sees it any more';
COMMENT ON COLUMN app.content_bytes IS
	'of its draft and versions, kept by triggers; without those that it had when its account got it';
COMMENT ON COLUMN app.collection_id IS 'NULL: made on this instance';
COMMENT ON COLUMN app.tags IS 'JSON: an array of texts';
COMMENT ON COLUMN app.broken_reason IS 'as its collection says; NULL: it is not broken';
COMMENT ON COLUMN app.search_text IS
	'what the catalogue is searched in, beside the name of its account where it has no author';

CREATE TABLE app_version (
	id uuid PRIMARY KEY,
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	sequence int8 GENERATED ALWAYS AS IDENTITY,
	name text NOT NULL,
	script_language text NOT NULL,
	script_content text NOT NULL,
	checksum text NOT NULL,
	status text NOT NULL DEFAULT 'PENDING',
	created_at timestamptz NOT NULL DEFAULT present_time(),
	reviewed_at timestamptz,
	rejection_reason text,
	review_summary text,
	CONSTRAINT app_version_language_known CHECK (script_language IN ('STARLARK', 'TYPESCRIPT')),
	CONSTRAINT app_version_name_form CHECK (name ~ '^[A-Za-z0-9._-]{1,64}$'),
	CONSTRAINT app_version_rejected CHECK (status = 'REJECTED' OR rejection_reason IS NULL),
	CONSTRAINT app_version_reviewed CHECK ((status = 'PENDING') = (reviewed_at IS NULL)),
	-- narrower ones, and render what is larger as they do all others.
	-- All rows keep the wider rules. Earlier programs may run meanwhile: they import and store what fits the
	--
	-- Apps that are imported may have 8 MiB, and their schemas 4 MiB.
	CONSTRAINT app_version_script_size CHECK (octet_length(script_content) BETWEEN 1 AND 8388608),
	CONSTRAINT app_version_status_known CHECK ( status IN ('PENDING', 'APPROVED', 'CHANGES_REQUESTED', 'REJECTED')),
	CONSTRAINT app_version_name_unique UNIQUE (app_id, name),
	CONSTRAINT app_version_status_unique UNIQUE (app_id, id, status)
);
ALTER TABLE app_version ALTER COLUMN app_id SET (n_distinct=-0.001);
CREATE INDEX app_version_newest ON app_version (app_id, sequence DESC);
CREATE UNIQUE INDEX app_version_one_pending ON app_version (app_id) WHERE status = 'PENDING';
-- The queue of reviewers, oldest first.
CREATE INDEX app_version_pending ON app_version (sequence) WHERE status = 'PENDING';
COMMENT ON COLUMN app_version.sequence IS 'order of submission';
COMMENT ON INDEX app_version_one_pending IS 'one version of an app awaits review at a time';

CREATE TABLE app_version_comment (
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	position int4 NOT NULL,
	author text NOT NULL,
	comment text NOT NULL,
	line int4,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	CONSTRAINT app_version_comment_length CHECK (char_length(comment) BETWEEN 1 AND 4000),
	CONSTRAINT app_version_comment_line CHECK (line >= 1),
	PRIMARY KEY (version_id, "position")
);

-- Each version has its row from the start: who stores a render may not wait for the version itself,
-- whose removal locks that before its renders.
CREATE TABLE version_crashes (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	crashes int4 NOT NULL DEFAULT 0,
	account_id uuid,
	paused_until timestamptz,
	trial uuid,
	CONSTRAINT version_crashes_paused CHECK ((crashes >= 3) = (paused_until IS NOT NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE version_crashes IS 'renders of a version that crashed or met a limit';
COMMENT ON COLUMN version_crashes.crashes IS 'in a row at all its places: since its last good render';
COMMENT ON COLUMN version_crashes.account_id IS
	'all of them were at places of this account alone, which alone has the pause; NULL: of several';
COMMENT ON COLUMN version_crashes.paused_until IS
	'nothing is rendered before at places that the version has not drawn well last; then one is, and '
	'has a minute for it';
COMMENT ON COLUMN version_crashes.trial IS 'the claim of that one';

-- Versions that their owner removes.
CREATE TABLE app_version_removed (
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	name text NOT NULL,
	removed_at timestamptz NOT NULL DEFAULT present_time(),
	PRIMARY KEY (app_id, name)
);
COMMENT ON TABLE app_version_removed IS
	'a row here removes the version, unless it is the deployed one; its name is used for ever';

CREATE TABLE app_draft (
	app_id uuid PRIMARY KEY REFERENCES app ON DELETE CASCADE,
	script_language text NOT NULL,
	script_content text NOT NULL,
	revision int8 NOT NULL DEFAULT 1,
	updated_at timestamptz NOT NULL DEFAULT present_time(),
	CONSTRAINT app_draft_language_known CHECK (script_language IN ('STARLARK', 'TYPESCRIPT')),
	CONSTRAINT app_draft_script_size CHECK (octet_length(script_content) <= 1000000)
);
COMMENT ON TABLE app_draft IS 'what the author works on: saving changes this and no version';
COMMENT ON COLUMN app_draft.revision IS
	'grows with every change; who saves says which one was changed, so that two windows of one '
	'author do not overwrite each other';

CREATE TABLE app_compiled (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	javascript text,
	problem text,
	engine text NOT NULL DEFAULT '',
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	compiled_at timestamptz,
	CONSTRAINT app_compiled_once CHECK (
		(compiled_at IS NULL) = (javascript IS NULL AND problem IS NULL)
		AND (javascript IS NULL OR problem IS NULL))
);
-- Versions in TypeScript that nobody has compiled, in the order of their submission, which is that of their IDs.
CREATE INDEX app_compiled_queue ON app_compiled (version_id) WHERE compiled_at IS NULL AND tries < 5;
COMMENT ON TABLE app_compiled IS 'what esbuild made of versions in TypeScript';
COMMENT ON COLUMN app_compiled.problem IS 'why it does not compile, as JSON';
COMMENT ON INDEX app_compiled_queue IS 'each version in TypeScript is in it from its submission on';

-- Forms of apps, which the pages show before the apps are installed.
CREATE TABLE app_schema (
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	locale text NOT NULL,
	engine text NOT NULL,
	schema text NOT NULL,
	hosts text NOT NULL DEFAULT '',
	made_at timestamptz NOT NULL DEFAULT present_time(),
	use_count int4 NOT NULL DEFAULT 0,
	used_at timestamptz NOT NULL DEFAULT present_time(),
	used_by uuid,
	CONSTRAINT app_schema_size CHECK (octet_length(schema) <= 4194304),
	PRIMARY KEY (version_id, locale)
);
COMMENT ON TABLE app_schema IS 'the schemas of versions, as their renderer gave them';
COMMENT ON COLUMN app_schema.schema IS 'JSON; empty: the version has none';
COMMENT ON COLUMN app_schema.hosts IS
	'that were asked for it: such a schema is not the same for ever';
COMMENT ON COLUMN app_schema.use_count IS
	'grows once a minute with the use of another account than the last, and once an hour with the same one''s';
COMMENT ON COLUMN app_schema.used_at IS 'when the count last grew';
COMMENT ON COLUMN app_schema.used_by IS 'the account by whose use it did';

CREATE TABLE app_schema_failure (
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	locale text NOT NULL,
	reach int2 NOT NULL,
	engine text NOT NULL,
	kind int2 NOT NULL,
	message text NOT NULL,
	file text NOT NULL,
	line int4 NOT NULL,
	"column" int4 NOT NULL,
	made_at timestamptz NOT NULL DEFAULT present_time(),
	PRIMARY KEY (version_id, locale, reach)
);
COMMENT ON TABLE app_schema_failure IS
	'why versions had no schema when they were asked last: they are not asked again at once';
COMMENT ON COLUMN app_schema_failure.reach IS
	'what of the network it was given: 0 nothing, 1 public addresses, 2 all that is allowed';
COMMENT ON COLUMN app_schema_failure.kind IS 'enum engine_problem_kind';

-- The hosts that apps ask, whoever has them rendered.
CREATE TABLE app_host (
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	host text NOT NULL,
	asked_at timestamptz NOT NULL DEFAULT present_time(),
	PRIMARY KEY (app_id, host)
);
COMMENT ON TABLE app_host IS
	'that an app has asked in renders, previews, forms and answers of its handlers, without those that '
	'tell of one owner';
COMMENT ON COLUMN app_host.asked_at IS 'on that day for the last time';

CREATE TABLE app_picture (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	engine text NOT NULL DEFAULT '',
	picture bytea,
	picture_hash text GENERATED ALWAYS AS (left(encode(sha256(picture), 'hex'), 32)) STORED,
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	made_at timestamptz,
	CONSTRAINT app_picture_size CHECK (length(picture) BETWEEN 1 AND 460000)
);
ALTER TABLE app_picture ALTER COLUMN picture SET STORAGE EXTERNAL;
COMMENT ON TABLE app_picture IS
	'versions as the catalogue shows them: with default settings, made without network';
COMMENT ON COLUMN app_picture.picture IS 'NULL: there is none (yet)';
COMMENT ON COLUMN app_picture.made_at IS 'tried for the last time; NULL: not yet, or it is to be tried again';

-- Pictures that apps of a collection bring along: the catalogue shows them where rendering an app gives none.
CREATE TABLE app_own_picture (
	app_id uuid PRIMARY KEY REFERENCES app ON DELETE CASCADE,
	source bytea,
	source_hash bytea NOT NULL,
	picture bytea,
	picture_hash text,
	problem text,
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	checked_at timestamptz,
	CONSTRAINT app_own_picture_hash_length CHECK (length(source_hash) = 32),
	CONSTRAINT app_own_picture_problem_length CHECK (char_length(problem) <= 500),
	CONSTRAINT app_own_picture_size CHECK (length(picture) BETWEEN 1 AND 60000),
	-- from the operator alone. Earlier programs may run meanwhile, but refuse to decode larger files.
	-- a worker has made a picture of at most 60,000 bytes of them, so a collection takes no more room for long. Imports come
	-- Pictures that apps of a collection bring along may have 1 MiB: many are magnified for a web page. They are kept until
	CONSTRAINT app_own_picture_source_size CHECK (length(source) BETWEEN 1 AND 1048576),
	CONSTRAINT app_own_picture_waits CHECK ((checked_at IS NULL) = (source IS NOT NULL))
);
ALTER TABLE app_own_picture ALTER COLUMN source SET STORAGE EXTERNAL;
ALTER TABLE app_own_picture ALTER COLUMN picture SET STORAGE EXTERNAL;
CREATE INDEX app_own_picture_queue ON app_own_picture (app_id) WHERE checked_at IS NULL AND tries < 5;
COMMENT ON COLUMN app_own_picture.source IS
	'a file as it was imported, from strangers: a worker decodes all of it before anybody sees it';
COMMENT ON COLUMN app_own_picture.source_hash IS 'SHA-256 of that: the same file is not imported again';
COMMENT ON COLUMN app_own_picture.picture IS 'what panels show of it; of the file before, until a new one is good';
COMMENT ON COLUMN app_own_picture.problem IS 'why there is no picture of this file';

-- Apps whose deployed version may declare settings secret that installations have in the clear. Workers
-- seal these and delete the row.
CREATE TABLE app_to_seal (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	claim uuid,
	tries int4 NOT NULL DEFAULT 0,
	due_at timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX app_to_seal_app ON app_to_seal (app_id);
CREATE INDEX app_to_seal_claim ON app_to_seal (claim);
CREATE INDEX app_to_seal_due ON app_to_seal (due_at);
COMMENT ON TABLE app_to_seal IS 'an app may be in it more than once, so that nobody waits to add it';
COMMENT ON COLUMN app_to_seal.claim IS 'of the worker that seals; until due_at';

ALTER TABLE app ADD CONSTRAINT app_deployed_is_approved FOREIGN KEY (id, deployed_version_id, deployed_status)
	REFERENCES app_version(app_id, id, status);

-- The collection into which an account imports a checkout, which it makes where there is none: the one of this name,
-- where it was given; else the one of this source; else the one whose apps, imported before collections had names, are
-- mostly those of the checkout. origins and authors: of the checkout's apps. No name in the row: the name that was
-- thought of is that of another source. No ID: it would be made.
CREATE FUNCTION app_collection_chosen(of_account uuid, wanted text, is_given boolean, of_source text,
	origins text[], authors text[], is_dry boolean)
RETURNS TABLE (id uuid, name text) LANGUAGE plpgsql AS $$
DECLARE
	found app_collection;
BEGIN
	-- One import at a time chooses.
	LOCK TABLE app_collection IN SHARE ROW EXCLUSIVE MODE;
	SELECT * INTO found FROM app_collection
	WHERE CASE WHEN is_given THEN app_collection.name = wanted ELSE source = of_source END
	ORDER BY number DESC LIMIT 1;
	IF found.id IS NULL THEN
		SELECT * INTO found FROM app_collection
		WHERE source IS NULL AND app_collection.name = 'imported' AND (
			SELECT count(*) > 0 AND count(*) <= 2 * count(*) FILTER (WHERE EXISTS (
				SELECT FROM unnest(origins, authors) AS checkout (origin, author)
				WHERE origin = app.imported_as AND author = coalesce(app.author, '')))
			FROM app WHERE collection_id = app_collection.id AND account_id = of_account);
		IF found.id IS NOT NULL AND NOT EXISTS (
			SELECT FROM app_collection WHERE app_collection.name = wanted)
		THEN
			found.name := wanted;
		END IF;
	END IF;
	IF found.id IS NULL AND EXISTS (
		SELECT FROM app_collection WHERE app_collection.name = wanted)
	THEN
		RETURN QUERY SELECT NULL::uuid, NULL::text;
		RETURN;
	END IF;
	IF NOT is_dry AND found.id IS NULL THEN
		INSERT INTO app_collection (id, name, source)
		VALUES (gen_random_uuid(), wanted, of_source)
		RETURNING * INTO found;
	ELSIF NOT is_dry THEN
		UPDATE app_collection SET name = found.name, source = of_source
		WHERE app_collection.id = found.id AND (app_collection.name <> found.name
			OR app_collection.source IS DISTINCT FROM of_source);
	END IF;
	RETURN QUERY SELECT found.id, coalesce(found.name, wanted);
END
$$;

CREATE FUNCTION app_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF account_import_counts() THEN
		RETURN NULL;
	END IF;
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
CREATE TRIGGER app_count AFTER INSERT OR DELETE OR UPDATE OF account_id ON app
	FOR EACH ROW EXECUTE FUNCTION app_counted();

CREATE FUNCTION app_deployed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM app_is_to_be_sealed(NEW.id);
	RETURN NULL;
END
$$;
CREATE TRIGGER app_deploy AFTER UPDATE OF deployed_version_id ON app
	FOR EACH ROW WHEN (
		NEW.deployed_version_id IS NOT NULL
		AND NEW.deployed_version_id IS DISTINCT FROM OLD.deployed_version_id)
	EXECUTE FUNCTION app_deployed();

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

-- JSON: the hosts that an app has asked within a month.
CREATE FUNCTION app_hosts(of_app uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(json_agg(host ORDER BY host)::text, '[]')
	FROM app_host
	WHERE app_id = of_app AND asked_at > present_time() - interval '30 days'
$$;

-- An inherited app counts no bytes. If its new account has an app with its slug, it gets another slug.
CREATE FUNCTION app_inherited() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	slug text := NEW.slug;
	number int4 := 1;
BEGIN
	NEW.content_bytes := 0;
	WHILE NEW.collection_id IS NULL AND EXISTS (
		SELECT FROM app
		WHERE app.slug = NEW.slug AND app.id <> NEW.id AND app.collection_id IS NULL
			AND (app.account_id = NEW.account_id
				OR (app.visibility <> 'private' AND NEW.visibility <> 'private')))
	LOOP
		number := number + 1;
		NEW.slug := rtrim(left(slug, 63 - length(number::text)), '-') || '-' || number;
	END LOOP;
	RETURN NEW;
END
$$;
CREATE TRIGGER app_inherit BEFORE UPDATE OF account_id ON app
	FOR EACH ROW WHEN (NEW.account_id IS DISTINCT FROM OLD.account_id)
	EXECUTE FUNCTION app_inherited();

CREATE FUNCTION app_is_to_be_sealed(of_app uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
	INSERT INTO app_to_seal (app_id) VALUES (of_app);
	SELECT pg_notify('displayd_hint', 'seal:' || of_app);
$$;

-- The app of this ID, else the one that the slug means to the account.
CREATE FUNCTION app_meant(of_account uuid, of_id uuid, of_slug text) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN coalesce((SELECT id FROM app WHERE id = of_id), app_named(of_account, of_slug));
END
$$;

-- The app that a slug means to an account: its own one, else a public one of the instance that is deployed, else that
-- of the collection added first; else one that the account may not use. A draft of somebody else shadows nothing.
-- Without an account, one of several private apps is not meant. In plpgsql, whose plans are kept.
CREATE FUNCTION app_named(of_account uuid, of_slug text) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN coalesce(
		(SELECT id FROM app
			WHERE account_id = of_account AND slug = of_slug AND collection_id IS NULL
				AND NOT is_removed),
		(SELECT id FROM app
			WHERE slug = of_slug AND collection_id IS NULL AND visibility <> 'private'
				AND deployed_version_id IS NOT NULL AND NOT is_removed),
		(SELECT app.id FROM app
			JOIN app_collection ON app_collection.id = app.collection_id
			WHERE app.slug = of_slug AND app.collection_id IS NOT NULL
				AND (app.visibility <> 'private' OR app.account_id = of_account)
				AND NOT app.is_removed
			ORDER BY app_collection.number LIMIT 1),
		(SELECT CASE WHEN count(*) = 1 OR of_account IS NOT NULL THEN (array_agg(id))[1] END
			FROM (SELECT id FROM app WHERE slug = of_slug AND NOT is_removed
				ORDER BY id LIMIT 2) AS private));
END
$$;

-- The name of an app in the URLs of an account: its ID; NULL: its slug.
CREATE FUNCTION app_path(of_account uuid, of_id uuid, of_slug text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN CASE WHEN app_named(of_account, of_slug) IS DISTINCT FROM of_id THEN of_id::text END;
END
$$;

-- Else an app could be marked, lose a version, and be there again with the version's name free.
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

-- True if so many further bytes of an app fit; else the statement is refused.
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

-- The app that an operator names, by its ID or its slug.
CREATE FUNCTION app_told(told text) RETURNS uuid LANGUAGE sql STABLE AS $$
	SELECT coalesce((SELECT id FROM app WHERE id::text = lower(told)), app_named(NULL, told))
$$;

-- After the insert: that waits for a removal of the same name, which is seen then.
CREATE FUNCTION app_version_counted() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER app_version_count AFTER INSERT ON app_version
	FOR EACH ROW EXECUTE FUNCTION app_version_counted();

CREATE FUNCTION app_version_crashes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO version_crashes (version_id) VALUES (NEW.id);
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_has_crashes AFTER INSERT ON app_version
	FOR EACH ROW EXECUTE FUNCTION app_version_crashes();

CREATE FUNCTION app_version_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM app_version WHERE app_id = NEW.app_id AND name = NEW.name;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_go AFTER INSERT ON app_version_removed
	FOR EACH ROW EXECUTE FUNCTION app_version_goes();

-- A version is a snapshot for ever: whoever asks, only its review may change, and that once.
CREATE FUNCTION app_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER app_version_immutable BEFORE UPDATE OR DELETE ON app_version
	FOR EACH ROW EXECUTE FUNCTION app_version_is_immutable();
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

CREATE FUNCTION app_version_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO app_compiled (version_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_queue AFTER INSERT ON app_version
	FOR EACH ROW WHEN (NEW.script_language = 'TYPESCRIPT') EXECUTE FUNCTION app_version_queued();

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

-- JSON: why a version in TypeScript does not compile; null: it does, or nobody knows yet.
CREATE FUNCTION compile_problem(of_version uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce((
		SELECT json_build_object('kind', CASE WHEN told ->> 'kind'
				IN ('script', 'app', 'limit', 'crash') THEN told ->> 'kind'
				ELSE 'unavailable' END,
			'message', told -> 'message', 'file', told -> 'file', 'line', told -> 'line',
			'column', told -> 'column')::text
		FROM app_compiled
		CROSS JOIN LATERAL (SELECT problem::json AS told) AS one
		WHERE version_id = of_version AND problem IS NOT NULL
	), 'null')
$$;

-- Whether accounts other than its own have installed an app.
CREATE FUNCTION is_app_of_others(of_app uuid, than_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM installation WHERE app_id = of_app AND owner_id < than_account)
		OR EXISTS (SELECT FROM installation WHERE app_id = of_app AND owner_id > than_account)
$$;

-- Remarks of reviewers on a version, as the API shows them.
CREATE FUNCTION review_comments(of_version_id uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT '[' || coalesce(string_agg(row_to_json(entry)::text, ',' ORDER BY position), '') || ']'
	FROM app_version_comment,
		LATERAL (SELECT author, comment, line,
			to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt")
			AS entry
	WHERE version_id = of_version_id
$$;
