-- Passkeys: public keys of authenticators, with which accounts sign in without a password.

ALTER TABLE account
	ADD COLUMN passkey_count int4 NOT NULL DEFAULT 0,
	ADD CONSTRAINT account_passkey_limit CHECK (passkey_count BETWEEN 0 AND 20);
COMMENT ON COLUMN account.passkey_count IS 'kept by a trigger: for the limit';

CREATE TABLE passkey (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	credential_id text NOT NULL,
	algorithm int4 NOT NULL,
	public_key bytea NOT NULL,
	sign_count int8 NOT NULL,
	name text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	last_used_at timestamptz,
	CONSTRAINT passkey_credential_id_unique UNIQUE (credential_id),
	CONSTRAINT passkey_credential_id_length CHECK (char_length(credential_id) BETWEEN 1 AND 1400),
	CONSTRAINT passkey_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
);
CREATE INDEX passkey_account ON passkey (account_id, created_at);
COMMENT ON COLUMN passkey.credential_id IS 'base64url, as the pages have it';
COMMENT ON COLUMN passkey.algorithm IS 'of COSE: -7, -8 or -257';
COMMENT ON COLUMN passkey.public_key IS 'as libfido2 has it';
COMMENT ON COLUMN passkey.sign_count IS 'of the authenticator; 0: it does not count';

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

-- Challenges are not stored: the server knows its own by a key, and remembers those that were used.
ALTER TABLE site ADD COLUMN challenge_key bytea NOT NULL
	DEFAULT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
COMMENT ON COLUMN site.challenge_key IS 'what all instances make and know challenges by';

CREATE TABLE used_challenge (
	challenge bytea PRIMARY KEY,
	used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX used_challenge_oldest ON used_challenge (used_at);
