-- How long animations of apps last: longer than their turns, maybe.
--
-- It is unknown until the next render, and if an older instance makes that; then nothing is said of the turn. Older
-- instances still cut an animation after a minute.
ALTER TABLE render ADD COLUMN duration_ms int4;
COMMENT ON COLUMN render.duration_ms IS 'duration of one run of its animation; 0: a still picture; NULL: unknown';

-- The turn of an entry whose animation is shown to its end and is longer; content_stay_s() has the same numbers.
CREATE FUNCTION whole_turn_s(dwell_s int4, plays_whole boolean) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT greatest(dwell_s, CASE WHEN plays_whole THEN 120 ELSE 60 END)
$$;
