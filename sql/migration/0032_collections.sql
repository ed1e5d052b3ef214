-- Apps that were imported belong to a collection, which has slugs of its own. So an account's "clock" does not stop
-- the import of the community's, and an import changes no app of another source. What their manifests say of them is
-- kept: category, tags, and why an app is broken.
--
-- Apps that were imported before are in one collection, "imported"; the next import of most of them gives it its
-- name. Every slug was unique, so no row breaks a new rule. Earlier programs may run meanwhile if nothing is imported and
-- no app gets a slug that another one has: they answer 500 if a slug names two apps, and their displayctl imports
-- nothing.

CREATE TABLE app_collection (
	id uuid PRIMARY KEY,
	number int8 GENERATED ALWAYS AS IDENTITY,
	name text NOT NULL,
	source text,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	CONSTRAINT app_collection_name_unique UNIQUE (name),
	CONSTRAINT app_collection_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT app_collection_source_length CHECK (char_length(source) BETWEEN 1 AND 5000)
);
COMMENT ON COLUMN app_collection.number IS 'the order in which they were added';
COMMENT ON COLUMN app_collection.source IS
	'the folder or the address of the repository that was imported last; NULL: not known';

ALTER TABLE app
	ADD COLUMN collection_id uuid REFERENCES app_collection,
	ADD COLUMN category text NOT NULL DEFAULT '',
	ADD COLUMN tags text NOT NULL DEFAULT '[]',
	ADD COLUMN broken_reason text,
	ADD CONSTRAINT app_category_length CHECK (char_length(category) <= 100),
	ADD CONSTRAINT app_tags_length CHECK (char_length(tags) BETWEEN 2 AND 5000),
	ADD CONSTRAINT app_broken_reason_length CHECK (char_length(broken_reason) BETWEEN 1 AND 500);
COMMENT ON COLUMN app.collection_id IS 'NULL: made on this instance';
COMMENT ON COLUMN app.imported_as IS
	'its ID in the collection; only an import of the same changes the app. NULL: not imported';
COMMENT ON COLUMN app.tags IS 'JSON: an array of texts';
COMMENT ON COLUMN app.broken_reason IS 'as its collection says; NULL: it is not broken';

-- The same in whatever copy of a database.
INSERT INTO app_collection (id, name, created_at)
SELECT md5('imported')::uuid, 'imported', min(created_at)
FROM app
WHERE imported_as IS NOT NULL
HAVING count(*) > 0;
UPDATE app SET collection_id = (SELECT id FROM app_collection) WHERE imported_as IS NOT NULL;

ALTER TABLE app DROP CONSTRAINT app_slug_unique;
CREATE UNIQUE INDEX app_slug_unique ON app (account_id, slug) WHERE collection_id IS NULL;
CREATE UNIQUE INDEX app_slug_public_unique ON app (slug)
	WHERE collection_id IS NULL AND visibility <> 'private';
CREATE UNIQUE INDEX app_slug_collection_unique ON app (slug, collection_id) WHERE collection_id IS NOT NULL;
CREATE INDEX app_slug ON app (slug, id);
CREATE INDEX app_of_collection ON app (collection_id) WHERE collection_id IS NOT NULL;

-- Also in categories and tags.
ALTER TABLE app DROP COLUMN search_text;
ALTER TABLE app ADD COLUMN search_text text GENERATED ALWAYS AS (
	lower(name || E'\n' || slug || E'\n' || description || E'\n' || coalesce(author, '')
		|| coalesce(E'\n' || nullif(category, ''), '')
		|| coalesce(E'\n' || nullif(tags, '[]'), ''))) STORED;
COMMENT ON COLUMN app.search_text IS
	'what the catalogue is searched in, beside the name of its account where it has no author';

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

-- The app of this ID, else the one that the slug means to the account.
CREATE FUNCTION app_meant(of_account uuid, of_id uuid, of_slug text) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN coalesce((SELECT id FROM app WHERE id = of_id), app_named(of_account, of_slug));
END
$$;

-- The app that an operator names, by its ID or its slug.
CREATE FUNCTION app_told(told text) RETURNS uuid LANGUAGE sql STABLE AS $$
	SELECT coalesce((SELECT id FROM app WHERE id::text = lower(told)), app_named(NULL, told))
$$;

-- An inherited app counts no bytes. If its new account has an app with its slug, it gets another slug.
CREATE OR REPLACE FUNCTION app_inherited() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- The name of an app in the URLs of an account: its ID; NULL: its slug.
CREATE FUNCTION app_path(of_account uuid, of_id uuid, of_slug text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN CASE WHEN app_named(of_account, of_slug) IS DISTINCT FROM of_id THEN of_id::text END;
END
$$;
