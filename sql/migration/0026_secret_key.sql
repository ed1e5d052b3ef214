-- The database knows which key its secret settings are encrypted with, so that an instance with another
-- one is refused before it shows or stores any. No row changes: the fingerprint is first written when an
-- instance has opened a stored secret with its key. Earlier programs may run meanwhile; they neither look
-- at the fingerprint nor hold the lock.

ALTER TABLE site
	ADD COLUMN secret_key_fingerprint bytea,
	ADD CONSTRAINT secret_key_fingerprint_length CHECK (octet_length(secret_key_fingerprint) = 32);
COMMENT ON COLUMN site.secret_key_fingerprint IS
	'of the key that opens installation.secret_settings; NULL: no instance has opened one yet';

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
