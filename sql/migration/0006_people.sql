-- People: passwords, roles, sessions, one-time links, and who did what.

ALTER TABLE account
	ADD COLUMN password_hash text,
	ADD COLUMN has_password boolean GENERATED ALWAYS AS (password_hash IS NOT NULL) STORED,
	ADD COLUMN is_reviewer boolean NOT NULL DEFAULT false,
	ADD COLUMN is_administrator boolean NOT NULL DEFAULT false,
	ADD COLUMN last_sign_in_at timestamptz,
	ADD COLUMN key_count int4 NOT NULL DEFAULT 0,
	ADD CONSTRAINT account_password_hash_form CHECK (password_hash LIKE '$argon2id$%');
COMMENT ON COLUMN account.password_hash IS 'argon2id, with its salt and parameters; NULL: none was set';
COMMENT ON COLUMN account.key_count IS 'API keys that are not revoked, kept by a trigger: for the limit';
CREATE INDEX account_oldest ON account (created_at, id);

ALTER TABLE api_key
	ADD COLUMN first_characters text,
	ADD COLUMN last_used_at timestamptz;
COMMENT ON COLUMN api_key.first_characters IS 'of the key, to tell it from others; NULL: made before they were kept';
COMMENT ON COLUMN api_key.last_used_at IS 'written behind; NULL: not used since it is noted';

UPDATE account
SET key_count = (SELECT count(*) FROM api_key WHERE account_id = account.id AND revoked_at IS NULL);
-- An account that has more already keeps them, and gets no further one.
ALTER TABLE account
	ADD CONSTRAINT account_key_limit CHECK (key_count BETWEEN 0 AND 1000) NOT VALID;

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

-- One row: what concerns all accounts together.
CREATE TABLE site (
	is_it boolean PRIMARY KEY DEFAULT true,
	account_count int8 NOT NULL,
	administrator_count int8 NOT NULL,
	had_administrator boolean NOT NULL DEFAULT false,
	CONSTRAINT site_is_one CHECK (is_it),
	CONSTRAINT last_administrator CHECK (administrator_count > 0 OR NOT had_administrator)
);
INSERT INTO site (account_count, administrator_count) SELECT count(*), 0 FROM account;
COMMENT ON TABLE site IS
	'counts that rules are made of, kept by triggers: whoever changes one waits for the other';

CREATE FUNCTION account_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	accounts int8 := 0;
	administrators int8 := 0;
BEGIN
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
CREATE TRIGGER account_inserted AFTER INSERT ON account
	REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION account_counted();
CREATE TRIGGER account_updated AFTER UPDATE ON account
	REFERENCING OLD TABLE AS gone NEW TABLE AS come
	FOR EACH STATEMENT EXECUTE FUNCTION account_counted();
CREATE TRIGGER account_deleted AFTER DELETE ON account
	REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION account_counted();

CREATE TABLE session (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	secret_hash bytea NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	last_used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	address text NOT NULL,
	user_agent text NOT NULL,
	CONSTRAINT session_secret_hash_length CHECK (length(secret_hash) = 32),
	CONSTRAINT session_secret_hash_unique UNIQUE (secret_hash),
	CONSTRAINT session_address_length CHECK (char_length(address) <= 64),
	CONSTRAINT session_user_agent_length CHECK (char_length(user_agent) <= 200)
);
CREATE INDEX session_account ON session (account_id, last_used_at);
CREATE INDEX session_oldest ON session (last_used_at);
COMMENT ON COLUMN session.secret_hash IS 'SHA-256 of the cookie''s value, which is stored nowhere';
COMMENT ON COLUMN session.last_used_at IS 'within a minute';

CREATE TABLE account_link (
	id uuid PRIMARY KEY,
	kind text NOT NULL,
	secret_hash bytea NOT NULL,
	account_id uuid REFERENCES account ON DELETE CASCADE,
	email text,
	is_reviewer boolean NOT NULL DEFAULT false,
	is_administrator boolean NOT NULL DEFAULT false,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	expires_at timestamptz NOT NULL,
	CONSTRAINT account_link_kind_known CHECK (kind IN ('first', 'invitation', 'password')),
	CONSTRAINT account_link_secret_hash_length CHECK (length(secret_hash) = 32),
	CONSTRAINT account_link_secret_hash_unique UNIQUE (secret_hash),
	CONSTRAINT account_link_of_account CHECK ((kind = 'password') = (account_id IS NOT NULL)),
	CONSTRAINT account_link_email_length CHECK (char_length(email) BETWEEN 3 AND 254)
);
CREATE INDEX account_link_account ON account_link (account_id);
CREATE INDEX account_link_kind ON account_link (kind, created_at);
COMMENT ON TABLE account_link IS 'one-time links: using one removes it';
COMMENT ON COLUMN account_link.secret_hash IS 'SHA-256 of the token behind the # of the link';
COMMENT ON COLUMN account_link.is_administrator IS 'a role that the account gets with it';

CREATE TABLE audit_entry (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	account_id uuid,
	actor text NOT NULL,
	action text NOT NULL,
	target text,
	address text
);
CREATE INDEX audit_entry_account ON audit_entry (account_id, id DESC);
CREATE INDEX audit_entry_oldest ON audit_entry (created_at);
COMMENT ON TABLE audit_entry IS 'who did what, when, from where; kept when the account is gone';
COMMENT ON COLUMN audit_entry.account_id IS 'who; NULL: a program on the server';
COMMENT ON COLUMN audit_entry.actor IS 'its e-mail address or name, as it was then';

-- The log is bounded: in number, in age, and for each account, so that none fills it alone.
CREATE FUNCTION audit_entry_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM audit_entry
	WHERE id <= NEW.id - 100000 OR created_at < clock_timestamp() - interval '400 days';
	DELETE FROM audit_entry
	WHERE account_id = NEW.account_id AND id <= (
		SELECT id FROM audit_entry WHERE account_id = NEW.account_id
		ORDER BY id DESC OFFSET 2000 LIMIT 1);
	RETURN NULL;
END
$$;
CREATE TRIGGER audit_entry_bound AFTER INSERT ON audit_entry
	FOR EACH ROW EXECUTE FUNCTION audit_entry_bounded();
