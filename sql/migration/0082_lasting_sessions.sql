-- Sessions that stay for 90 days, on a person's own device, and names of sessions.
--
-- No session stays so far. Older instances that run meanwhile end one that was not used for 12 hours.
ALTER TABLE session
	ADD COLUMN is_lasting boolean NOT NULL DEFAULT false,
	ADD COLUMN name text,
	ADD CONSTRAINT session_name_length CHECK (char_length(name) BETWEEN 1 AND 100);
COMMENT ON COLUMN session.is_lasting IS 'the person stays signed in: it ends by its age, not without use';
COMMENT ON COLUMN session.name IS 'given by the person; NULL: none was given';

DROP INDEX session_oldest;
CREATE INDEX session_unused ON session (last_used_at) WHERE NOT is_lasting;
CREATE INDEX session_lasting ON session (created_at) WHERE is_lasting;

-- Whether a session can still be used, apart from its account. Its parameters are no row of session: a function with
-- such a parameter would keep the table from being dropped by a restore.
CREATE FUNCTION session_holds(
	is_lasting boolean, created_at timestamptz, last_used_at timestamptz, idle_s int4, life_s int4, lasting_s int4)
RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT CASE
		WHEN is_lasting THEN created_at > present_time() - lasting_s * interval '1 second'
		ELSE last_used_at > present_time() - idle_s * interval '1 second'
			AND created_at > present_time() - life_s * interval '1 second'
	END
$$;
