-- Collections of apps that the server fetches by itself.
--
-- There are none so far. Older instances may run meanwhile: they do not know them.
CREATE TABLE app_archive (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	name text NOT NULL,
	url text NOT NULL,
	folder text NOT NULL DEFAULT '',
	created_at timestamptz NOT NULL DEFAULT present_time(),
	state text NOT NULL DEFAULT 'waiting',
	asked_at timestamptz NOT NULL DEFAULT present_time(),
	ended_at timestamptz,
	lease uuid,
	leased_until timestamptz NOT NULL DEFAULT '-infinity',
	tries int2 NOT NULL DEFAULT 0,
	step text,
	bytes int8 NOT NULL DEFAULT 0,
	size_bytes int8,
	app_count int8 NOT NULL DEFAULT 0,
	done_count int8 NOT NULL DEFAULT 0,
	made_count int8 NOT NULL DEFAULT 0,
	updated_count int8 NOT NULL DEFAULT 0,
	unchanged_count int8 NOT NULL DEFAULT 0,
	failed_count int8 NOT NULL DEFAULT 0,
	held_count int8 NOT NULL DEFAULT 0,
	gone_count int8 NOT NULL DEFAULT 0,
	problem text,
	apps text NOT NULL DEFAULT '[]',
	etag text NOT NULL DEFAULT '',
	folders text NOT NULL DEFAULT '',
	held_tree text,
	confirmed_tree text,
	CONSTRAINT app_archive_unique UNIQUE (url, folder),
	CONSTRAINT app_archive_url_length CHECK (char_length(url) BETWEEN 1 AND 500),
	CONSTRAINT app_archive_folder_length CHECK (char_length(folder) <= 200),
	CONSTRAINT app_archive_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT app_archive_state_known CHECK (state IN ('waiting', 'fetching', 'done', 'failed', 'held'))
);
CREATE INDEX app_archive_account ON app_archive (account_id);
CREATE INDEX app_archive_created ON app_archive (created_at, id);
CREATE INDEX app_archive_asked ON app_archive (asked_at);
COMMENT ON TABLE app_archive IS 'collections of apps that are fetched, and what came of the last time';
COMMENT ON COLUMN app_archive.account_id IS 'who has added it, and owns its apps';
COMMENT ON COLUMN app_archive.name IS 'of the collection, as app_collection.name';
COMMENT ON COLUMN app_archive.folder IS 'in the archive; empty: all of it';
COMMENT ON COLUMN app_archive.state IS 'held: an administrator is to confirm it';
COMMENT ON COLUMN app_archive.lease IS 'of the worker that fetches it';
COMMENT ON COLUMN app_archive.tries IS 'leases of this fetch: a worker may end';
COMMENT ON COLUMN app_archive.apps IS 'JSON: what came of each app, unless it is unchanged';
COMMENT ON COLUMN app_archive.etag IS 'of the archive, if all of it was imported';
COMMENT ON COLUMN app_archive.folders IS 'paths and SHA-256 of the folders that were imported, a line each';
COMMENT ON COLUMN app_archive.held_tree IS 'hash of the folders of which some wait to be confirmed';
COMMENT ON COLUMN app_archive.confirmed_tree IS 'hash of the folders that an administrator has confirmed';
