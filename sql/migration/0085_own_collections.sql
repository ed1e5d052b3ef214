-- Collections of single accounts: nobody else sees their apps, which count in the account's bytes.
--
-- The collections so far are for all. Those of an account have their apps in an app_collection of their own ID. Older
-- instances that run meanwhile add none: they name a constraint that is gone, and fail.
ALTER TABLE app_archive ADD COLUMN is_for_all boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN app_archive.is_for_all IS 'false: its apps are private ones of account_id';
ALTER TABLE app_archive DROP CONSTRAINT app_archive_unique;
CREATE UNIQUE INDEX app_archive_all_unique ON app_archive (url, folder) WHERE is_for_all;
CREATE UNIQUE INDEX app_archive_own_unique ON app_archive (account_id, url, folder) WHERE NOT is_for_all;
ALTER TABLE app_collection ADD COLUMN is_private boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN app_collection.is_private IS 'of the app_archive with its ID: no other import chooses it';

-- Whether an account, or the operator for it (or, if it is all zero, for all), may see and change a collection.
CREATE FUNCTION app_archive_opens(of_account uuid, by_operator boolean, owner_id uuid, for_all boolean)
RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT CASE
		WHEN by_operator THEN of_account = '00000000-0000-0000-0000-000000000000' OR owner_id = of_account
		WHEN for_all THEN EXISTS (
			SELECT FROM account WHERE id = of_account AND is_administrator AND closed_at IS NULL)
		ELSE owner_id = of_account
	END
$$;

-- True if an account may have one more collection; else the statement is refused. One at a time adds, so that the
-- numbers hold. 1094931521 is "ACcA" in ASCII.
CREATE FUNCTION app_archive_takes(of_account uuid, by_operator boolean, for_all boolean) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF NOT app_archive_opens(of_account, by_operator, of_account, for_all) THEN
		RAISE EXCEPTION 'only an administrator adds collections for all' USING
			ERRCODE = '28D02';
	END IF;
	PERFORM pg_advisory_xact_lock(1094931521);
	IF (SELECT count(*) FROM app_archive WHERE NOT is_for_all AND account_id = of_account) >= 5 AND NOT for_all
		OR (SELECT count(*) FROM app_archive WHERE is_for_all = for_all) >= (CASE WHEN for_all THEN 20 ELSE 1000 END)
	THEN
		RAISE EXCEPTION 'there are too many collections' USING
			ERRCODE = '54D04';
	END IF;
	RETURN true;
END
$$;

-- Collection that an import belongs to: without own_id the one of the function with fewer parameters; else that of the
-- account's archive with this ID, which it makes where there is none.
CREATE FUNCTION app_collection_chosen(of_account uuid, wanted text, is_given boolean, of_source text,
	origins text[], authors text[], is_dry boolean, own_id uuid)
RETURNS TABLE (id uuid, name text) LANGUAGE plpgsql AS $$
BEGIN
	IF own_id IS NULL THEN
		RETURN QUERY SELECT chosen.id, chosen.name
		FROM app_collection_chosen(of_account, wanted, is_given, of_source, origins, authors, is_dry) AS chosen;
		RETURN;
	END IF;
	INSERT INTO app_collection (id, name, is_private)
	SELECT app_archive.id, left(wanted, 80) || ' (' || right(own_id::text, 12) || ')', true
	FROM app_archive
	WHERE app_archive.id = own_id AND app_archive.account_id = of_account AND NOT is_for_all
	ON CONFLICT DO NOTHING;
	RETURN QUERY SELECT app_collection.id, app_collection.name
	FROM app_collection
	JOIN app_archive ON app_archive.id = app_collection.id
	WHERE app_collection.id = own_id AND app_archive.account_id = of_account AND is_private;
END
$$;

-- Imported apps count if they are private.
CREATE OR REPLACE FUNCTION account_bytes(of_account uuid) RETURNS int8 LANGUAGE sql STABLE AS $$
	SELECT (
		(SELECT coalesce(sum(picture_bytes), 0) FROM device WHERE account_id = of_account)
		+ (SELECT coalesce(sum(content_bytes), 0) FROM app
			WHERE account_id = of_account AND (imported_as IS NULL OR visibility = 'private')))::int8
$$;
