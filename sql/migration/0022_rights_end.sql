-- One-time links hold while whoever made them may still make them. Links made before this migration have
-- no known maker: they are deleted, except links for the first account. Older instances may run meanwhile.
-- The links that they make have no maker, so upgraded instances reject these links.

ALTER TABLE account_link
	ADD COLUMN maker_id uuid REFERENCES account ON DELETE CASCADE,
	ADD COLUMN is_operators boolean NOT NULL DEFAULT false;
CREATE INDEX account_link_maker ON account_link (maker_id);
COMMENT ON COLUMN account_link.maker_id IS 'the administrator who made it';
COMMENT ON COLUMN account_link.is_operators IS 'made by a program on the server: valid without a maker';

DELETE FROM account_link WHERE kind <> 'first';
UPDATE account_link SET is_operators = true;

-- Whether a link of this kind and maker can still be used, apart from its account. Its parameters are no row of
-- account_link: a function with such a parameter would keep the table from being dropped by a restore.
CREATE FUNCTION link_holds(kind text, expires_at timestamptz, is_operators boolean, maker_id uuid)
RETURNS boolean LANGUAGE sql VOLATILE AS $$
	SELECT $2 > present_time() AND ($1 = 'first' OR $3 OR EXISTS (
		SELECT
		FROM account
		WHERE id = $4 AND is_administrator AND closed_at IS NULL))
$$;

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

-- Apps whose deployed version may declare settings secret that installations have in the clear. Workers
-- seal these and delete the row. All apps with such settings begin in it: nobody knows which were sealed.
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
CREATE INDEX installation_in_clear ON installation (app_id, device_id, id) WHERE settings <> '{}';
COMMENT ON TABLE app_to_seal IS 'an app may be in it more than once, so that nobody waits to add it';
COMMENT ON COLUMN app_to_seal.claim IS 'of the worker that seals; until due_at';
INSERT INTO app_to_seal (app_id)
SELECT DISTINCT app_id
FROM installation
WHERE app_id IS NOT NULL AND settings <> '{}';

DROP INDEX installation_of_app;
CREATE INDEX installation_of_app ON installation (app_id, device_id, id) WHERE app_id IS NOT NULL;

CREATE FUNCTION app_is_to_be_sealed(of_app uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
	INSERT INTO app_to_seal (app_id) VALUES (of_app);
	SELECT pg_notify('displayd_hint', 'seal:' || of_app);
$$;
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
