-- Accounts, and what signs them in: passwords, passkeys, sessions, one-time links, API keys.

CREATE TABLE account (
	id uuid PRIMARY KEY,
	email text NOT NULL,
	name text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	password_hash text,
	has_password boolean GENERATED ALWAYS AS (password_hash IS NOT NULL) STORED,
	is_reviewer boolean NOT NULL DEFAULT false,
	is_administrator boolean NOT NULL DEFAULT false,
	last_sign_in_at timestamptz,
	key_count int4 NOT NULL DEFAULT 0,
	closed_at timestamptz,
	key_limit int4 NOT NULL DEFAULT 1000,
	app_count int4 NOT NULL DEFAULT 0,
	passkey_count int4 NOT NULL DEFAULT 0,
	device_count int4 NOT NULL DEFAULT 0,
	has_device boolean GENERATED ALWAYS AS (device_count > 0) STORED,
	search_name text GENERATED ALWAYS AS (lower(name)) STORED,
	owned_app_count int8 NOT NULL DEFAULT 0,
	byte_limit int8 NOT NULL DEFAULT 0,
	reaches_local boolean NOT NULL DEFAULT false,
	goes_with_apps boolean NOT NULL DEFAULT false,
	webhook_count int4 NOT NULL DEFAULT 0,
	webhook_events int4 NOT NULL DEFAULT 0,
	webhook_paced_until timestamptz NOT NULL DEFAULT '-infinity',
	CONSTRAINT account_app_limit CHECK (app_count BETWEEN 0 AND 5000),
	CONSTRAINT account_byte_limit_range CHECK (byte_limit BETWEEN 0 AND 1000000000000000),
	CONSTRAINT account_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
	CONSTRAINT account_key_limit CHECK (key_count BETWEEN 0 AND key_limit),
	CONSTRAINT account_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT account_passkey_limit CHECK (passkey_count BETWEEN 0 AND 20),
	CONSTRAINT account_password_hash_form CHECK (password_hash LIKE '$argon2id$%'),
	CONSTRAINT account_webhook_limit CHECK (webhook_count BETWEEN 0 AND 10)
);
CREATE INDEX account_closed ON account (closed_at) WHERE closed_at IS NOT NULL;
CREATE UNIQUE INDEX account_email_unique ON account (lower(email));
CREATE INDEX account_oldest ON account (created_at, id);
CREATE INDEX account_reviewer ON account (id) WHERE is_reviewer;
COMMENT ON COLUMN account.name IS 'display name, shown to others; never the e-mail address';
COMMENT ON COLUMN account.password_hash IS 'argon2id, with its salt and parameters; NULL: none was set';
COMMENT ON COLUMN account.key_count IS 'API keys that are not revoked, kept by a trigger: for the limit';
COMMENT ON COLUMN account.closed_at IS
	'its owner has removed it: nobody can sign in, and what it owns goes in portions';
COMMENT ON COLUMN account.key_limit IS
	'API keys that it may have; more than others where it had more before there was a limit';
COMMENT ON COLUMN account.app_count IS
	'apps that it has made, kept by a trigger: for the limit. Apps that it got from another account '
	'do not count, so that their owner can always go';
COMMENT ON COLUMN account.passkey_count IS 'kept by a trigger: for the limit';
COMMENT ON COLUMN account.device_count IS 'rows in device, kept by a trigger';
COMMENT ON COLUMN account.owned_app_count IS 'rows in app, kept by a trigger';
COMMENT ON COLUMN account.byte_limit IS
	'of pictures, drafts and versions together, set by an administrator; 0: the default';
COMMENT ON COLUMN account.reaches_local IS
	'its previews of deployed apps reach what --egress-allow opens; set by an administrator';
COMMENT ON COLUMN account.goes_with_apps IS
	'Whether apps that others have installed go, too, when the account is removed.';
COMMENT ON COLUMN account.webhook_events IS 'bits of the events that its enabled webhooks want, kept by a trigger';
COMMENT ON COLUMN account.webhook_paced_until IS
	'grows by a second with each change of webhook_events by its owner, which rewrites its devices: 20 s ahead at most';

-- One row: what concerns all accounts together.
CREATE TABLE site (
	is_it boolean DEFAULT true PRIMARY KEY,
	account_count int8 NOT NULL,
	administrator_count int8 NOT NULL,
	had_administrator boolean NOT NULL DEFAULT false,
	heir_id uuid REFERENCES account ON DELETE SET NULL,
	challenge_key bytea NOT NULL DEFAULT sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))),
	secret_key_fingerprint bytea,
	backed_up_at timestamptz,
	apps_reach_local boolean NOT NULL DEFAULT true,
	CONSTRAINT last_administrator CHECK (administrator_count > 0 OR NOT had_administrator),
	CONSTRAINT secret_key_fingerprint_length CHECK (octet_length(secret_key_fingerprint) = 32),
	CONSTRAINT site_is_one CHECK (is_it)
);
INSERT INTO site (account_count, administrator_count) VALUES (0, 0);
COMMENT ON TABLE site IS
	'counts that rules are made of, kept by triggers: whoever changes one waits for the other';
COMMENT ON COLUMN site.heir_id IS
	'the account that gets the public apps which others have installed when their owner goes';
COMMENT ON COLUMN site.challenge_key IS 'what all instances make and know challenges by';
COMMENT ON COLUMN site.secret_key_fingerprint IS
	'of the key that opens installation.secret_settings; NULL: no instance has opened one yet';
COMMENT ON COLUMN site.backed_up_at IS 'when displayctl backup was last done; NULL: never, as far as is known';
COMMENT ON COLUMN site.apps_reach_local IS
	'apps reach what --egress-allow opens; false: public addresses only, whatever it opens';

CREATE TABLE account_link (
	id uuid PRIMARY KEY,
	kind text NOT NULL,
	secret_hash bytea NOT NULL,
	account_id uuid REFERENCES account ON DELETE CASCADE,
	email text,
	is_reviewer boolean NOT NULL DEFAULT false,
	is_administrator boolean NOT NULL DEFAULT false,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	expires_at timestamptz NOT NULL,
	maker_id uuid REFERENCES account ON DELETE CASCADE,
	is_operators boolean NOT NULL DEFAULT false,
	CONSTRAINT account_link_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
	CONSTRAINT account_link_kind_known CHECK (kind IN ('first', 'invitation', 'password')),
	CONSTRAINT account_link_of_account CHECK ((kind = 'password') = (account_id IS NOT NULL)),
	CONSTRAINT account_link_secret_hash_length CHECK (length(secret_hash) = 32),
	CONSTRAINT account_link_secret_hash_unique UNIQUE (secret_hash)
);
CREATE INDEX account_link_account ON account_link (account_id);
CREATE INDEX account_link_kind ON account_link (kind, created_at);
CREATE INDEX account_link_maker ON account_link (maker_id);
COMMENT ON TABLE account_link IS 'one-time links: using one removes it';
COMMENT ON COLUMN account_link.secret_hash IS 'SHA-256 of the token behind the # of the link';
COMMENT ON COLUMN account_link.is_administrator IS 'a role that the account gets with it';
COMMENT ON COLUMN account_link.maker_id IS 'the administrator who made it';
COMMENT ON COLUMN account_link.is_operators IS 'made by a program on the server: valid without a maker';

CREATE TABLE session (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	secret_hash bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	last_used_at timestamptz NOT NULL DEFAULT present_time(),
	address text NOT NULL,
	user_agent text NOT NULL,
	CONSTRAINT session_address_length CHECK (char_length(address) <= 64),
	CONSTRAINT session_secret_hash_length CHECK (length(secret_hash) = 32),
	CONSTRAINT session_user_agent_length CHECK (char_length(user_agent) <= 200),
	CONSTRAINT session_secret_hash_unique UNIQUE (secret_hash)
);
CREATE INDEX session_account ON session (account_id, last_used_at);
CREATE INDEX session_oldest ON session (last_used_at);
COMMENT ON COLUMN session.secret_hash IS 'SHA-256 of the cookie''s value, which is stored nowhere';
COMMENT ON COLUMN session.last_used_at IS 'within a minute';

CREATE TABLE passkey (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	credential_id text NOT NULL,
	algorithm int4 NOT NULL,
	public_key bytea NOT NULL,
	sign_count int8 NOT NULL,
	name text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	last_used_at timestamptz,
	CONSTRAINT passkey_credential_id_length CHECK (char_length(credential_id) BETWEEN 1 AND 1400),
	CONSTRAINT passkey_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT passkey_credential_id_unique UNIQUE (credential_id)
);
CREATE INDEX passkey_account ON passkey (account_id, created_at);
COMMENT ON COLUMN passkey.credential_id IS 'base64url, as the pages have it';
COMMENT ON COLUMN passkey.algorithm IS 'of COSE: -7, -8 or -257';
COMMENT ON COLUMN passkey.public_key IS 'as libfido2 has it';
COMMENT ON COLUMN passkey.sign_count IS 'of the authenticator; 0: it does not count';

CREATE TABLE used_challenge (
	challenge bytea PRIMARY KEY,
	used_at timestamptz NOT NULL DEFAULT present_time()
);
CREATE INDEX used_challenge_oldest ON used_challenge (used_at);

CREATE TABLE api_key (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	name text NOT NULL,
	secret_hash bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	revoked_at timestamptz,
	first_characters text,
	last_used_at timestamptz,
	scope text NOT NULL DEFAULT 'all',
	device_ids uuid[],
	ends_at timestamptz,
	CONSTRAINT api_key_device_count CHECK (cardinality(device_ids) BETWEEN 1 AND 100),
	CONSTRAINT api_key_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
	CONSTRAINT api_key_scope CHECK (scope IN ('push', 'devices', 'all')),
	CONSTRAINT api_key_secret_hash_length CHECK (length(secret_hash) = 32),
	CONSTRAINT api_key_secret_hash_unique UNIQUE (secret_hash)
);
CREATE INDEX api_key_account ON api_key (account_id, revoked_at);
CREATE INDEX api_key_alive ON api_key (account_id, created_at, id) WHERE revoked_at IS NULL;
COMMENT ON COLUMN api_key.secret_hash IS 'SHA-256 of the whole key; the key itself is stored nowhere';
COMMENT ON COLUMN api_key.first_characters IS 'of the key, to tell it from others; NULL: made before they were kept';
COMMENT ON COLUMN api_key.last_used_at IS 'written behind; NULL: not used since it is noted';
COMMENT ON COLUMN api_key.device_ids IS
	'the only devices that it is for; NULL: all of its account. Those that were removed may be among them';

-- Bytes that an account stores.
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

CREATE FUNCTION account_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	accounts int8 := 0;
	administrators int8 := 0;
BEGIN
	IF account_import_counts() THEN
		RETURN NULL;
	END IF;
	IF TG_OP <> 'INSERT' THEN
		SELECT accounts - count(*), administrators - count(*) FILTER (WHERE is_administrator)
		INTO accounts, administrators FROM gone;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		SELECT accounts + count(*), administrators + count(*) FILTER (WHERE is_administrator)
		INTO accounts, administrators FROM come;
	END IF;
	IF accounts = 0 AND administrators = 0 THEN
		RETURN NULL;
	END IF;
	UPDATE site
	SET account_count = account_count + accounts,
		administrator_count = administrator_count + administrators,
		had_administrator = had_administrator OR administrator_count + administrators > 0
	WHERE is_it;
	RETURN NULL;
END
$$;
CREATE TRIGGER account_deleted AFTER DELETE ON account
	REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION account_counted();
CREATE TRIGGER account_inserted AFTER INSERT ON account
	REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION account_counted();
CREATE TRIGGER account_updated AFTER UPDATE ON account
	REFERENCING OLD TABLE AS gone NEW TABLE AS come
	FOR EACH STATEMENT EXECUTE FUNCTION account_counted();

CREATE FUNCTION account_is_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM site WHERE account_count = 0) THEN
		NEW.reaches_local := true;
	END IF;
	RETURN NEW;
END
$$;
CREATE TRIGGER account_first BEFORE INSERT ON account
	FOR EACH ROW EXECUTE FUNCTION account_is_first();

-- Deletes the links of an account that may make them no longer. An account that becomes an administrator
-- again gets none of them back.
CREATE FUNCTION account_links_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM account_link WHERE maker_id = NEW.id;
	RETURN NULL;
END
$$;
CREATE TRIGGER account_links_end AFTER UPDATE OF is_administrator, closed_at ON account
	FOR EACH ROW WHEN (
		NOT (NEW.is_administrator AND NEW.closed_at IS NULL)
		AND OLD.is_administrator AND OLD.closed_at IS NULL)
	EXECUTE FUNCTION account_links_ended();

CREATE FUNCTION api_key_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	more int4 := 0;
BEGIN
	IF TG_OP <> 'INSERT' AND OLD.revoked_at IS NULL THEN
		more := more - 1;
	END IF;
	IF TG_OP <> 'DELETE' AND NEW.revoked_at IS NULL THEN
		more := more + 1;
	END IF;
	IF more <> 0 THEN
		UPDATE account SET key_count = key_count + more
		WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.account_id ELSE NEW.account_id END;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER api_key_count AFTER INSERT OR DELETE OR UPDATE OF revoked_at ON api_key
	FOR EACH ROW EXECUTE FUNCTION api_key_counted();

-- The chosen devices of a key; none: all. Refuses one that is not the account's.
CREATE FUNCTION chosen_devices(of_account uuid, ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF EXISTS (
		SELECT
		FROM unnest(ids) AS chosen
		WHERE NOT EXISTS (SELECT FROM device WHERE id = chosen AND account_id = of_account)
	) THEN
		RAISE EXCEPTION 'a key is for devices of its account' USING
			ERRCODE = '23D01';
	END IF;
	RETURN nullif(ids, '{}');
END
$$;

-- Whether a link of this kind and maker can still be used, apart from its account. Its parameters are no row of
-- account_link: a function with such a parameter would keep the table from being dropped by a restore.
CREATE FUNCTION link_holds(kind text, expires_at timestamptz, is_operators boolean, maker_id uuid)
RETURNS boolean LANGUAGE sql VOLATILE AS $$
	SELECT $2 > present_time() AND ($1 = 'first' OR $3 OR EXISTS (
		SELECT
		FROM account
		WHERE id = $4 AND is_administrator AND closed_at IS NULL))
$$;

CREATE FUNCTION passkey_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE account
	SET passkey_count = passkey_count + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
	WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.account_id ELSE OLD.account_id END;
	RETURN NULL;
END
$$;
CREATE TRIGGER passkey_count AFTER INSERT OR DELETE ON passkey
	FOR EACH ROW EXECUTE FUNCTION passkey_counted();

-- Whether an account still has a passkey. Volatile: a statement that has waited for the account's row sees what was
-- committed meanwhile.
CREATE FUNCTION passkey_holds(credential text, owner_id uuid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
	SELECT EXISTS (
		SELECT
		FROM passkey
		WHERE credential_id = credential AND passkey.account_id = owner_id)
$$;

-- Whether what the owner of an account has shown is still the account's, and the session in which it was
-- shown has not ended. shown_hash: of the password; NULL: the passkey with this credential was shown.
-- VOLATILE: it sees what was committed while the statement waited for the account's row.
CREATE FUNCTION proof_holds(owner_id uuid, shown_hash text, credential text, shown_in uuid)
	RETURNS boolean LANGUAGE sql VOLATILE AS $$
	SELECT EXISTS (
		SELECT
		FROM account
		JOIN session ON session.account_id = account.id
		WHERE account.id = owner_id AND session.id = shown_in AND account.closed_at IS NULL
			AND CASE
				WHEN credential IS NULL THEN account.password_hash = shown_hash
				ELSE passkey_holds(credential, owner_id)
			END)
$$;

-- Whether this session may work with the key of this fingerprint. Until its end it holds a lock that says
-- which key it has: sessions with another one are not admitted meanwhile, whatever the table says. The
-- lock is taken before others are looked for, so of two sessions at most one is admitted. 1399089225 is
-- "Scky" in ASCII.
CREATE FUNCTION secret_key_admits(fingerprint bytea) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	mark CONSTANT int4 := ('x' || encode(substr(fingerprint, 1, 4), 'hex'))::bit(32)::int4;
BEGIN
	PERFORM pg_advisory_lock_shared(1399089225, mark);
	IF NOT EXISTS (SELECT FROM site WHERE secret_key_fingerprint <> fingerprint)
		AND NOT EXISTS (
			SELECT FROM pg_locks
			WHERE locktype = 'advisory' AND classid::int8 = 1399089225 AND objsubid = 2
				AND objid <> mark::oid
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
	THEN
		RETURN true;
	END IF;
	PERFORM pg_advisory_unlock_shared(1399089225, mark);
	RETURN false;
END
$$;
