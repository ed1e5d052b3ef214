-- Pushes get a time at which an entry expires, may be held until they are removed, and may wake a
-- sleeping panel.
--
-- No row changes: entries have no end, and nothing is held or wakes. Earlier programs may run
-- meanwhile: what they push over such an entry does not expire, and what they push over a held
-- picture is not held.

ALTER TABLE installation
	ADD COLUMN expires_at timestamptz,
	ADD COLUMN expires_generation int8;
COMMENT ON COLUMN installation.expires_at IS
	'of a pushed entry: it is in no answer from then on, and is removed later; NULL: it stays';
COMMENT ON COLUMN installation.expires_generation IS
	'picture_generation of the push that set expires_at';

-- By device: a push looks for expired entries of its device. By time: for the sweep.
CREATE INDEX installation_expiring ON installation (device_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX installation_expiry ON installation (expires_at) WHERE expires_at IS NOT NULL;

-- Whether an entry with this end is there. Inlined by the planner.
CREATE FUNCTION is_present(expires_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT expires_at IS NULL OR expires_at > present_time()
$$;

-- Entries of a device without the expired ones. of_all: entry_count of the device.
CREATE FUNCTION entries_now(of_device uuid, of_all int4) RETURNS int4 LANGUAGE sql VOLATILE AS $$
	SELECT of_all - count(*)::int4
	FROM installation
	WHERE device_id = of_device AND expires_at <= present_time()
$$;

-- A push of an earlier program sets no end, and leaves that of the push before it.
CREATE FUNCTION installation_end_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.expires_at := NULL;
	RETURN NEW;
END
$$;
CREATE TRIGGER installation_end_go BEFORE UPDATE OF picture_generation ON installation
	FOR EACH ROW WHEN (NEW.expires_at IS NOT NULL
		AND NEW.expires_generation IS DISTINCT FROM NEW.picture_generation)
	EXECUTE FUNCTION installation_end_goes();

ALTER TABLE showing
	ADD COLUMN held_generation int8,
	ADD COLUMN waking_generation int8;
COMMENT ON COLUMN showing.held_generation IS
	'equal to push_generation: the push stays until it is removed or another one comes';
COMMENT ON COLUMN showing.waking_generation IS
	'equal to push_generation: the push is shown although the panel sleeps';
