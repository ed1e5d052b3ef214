-- Workers of several instances judge each other's hints: each notes in a row of its own until when all its hints are
-- sent, and others answer nothing from memory while that was too long ago (src/db/beats.h).
--
-- The table is unlogged: the rows of a crashed PostgreSQL are worth nothing, and four beats a second need not reach the
-- disk. The fill factor leaves room for new versions of a row in its page.
--
-- No row changes. Earlier programs may run meanwhile: they have no beat, and are trusted as before.

CREATE TABLE hint_beat (
	instance uuid,
	worker int4,
	through_at timestamptz NOT NULL,
	seen_at timestamptz NOT NULL,
	has_left boolean NOT NULL DEFAULT false,
	PRIMARY KEY (instance, worker)
) WITH (fillfactor = 10);
ALTER TABLE hint_beat SET UNLOGGED;
COMMENT ON TABLE hint_beat IS 'until when the hints of each worker are sent';
COMMENT ON COLUMN hint_beat.instance IS 'a name that the workers of an instance share';
COMMENT ON COLUMN hint_beat.through_at IS 'the hints of all changes that it answered before are sent';
COMMENT ON COLUMN hint_beat.seen_at IS 'when it was surely running; after 60 s without it is forgotten';
COMMENT ON COLUMN hint_beat.has_left IS 'it has ended, and changes nothing more';
