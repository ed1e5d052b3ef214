-- Notes that a worker runs whose hint connection is away: others go on distrusting what they know
-- (src/db/beats.h).
-- params: instance uuid, worker int4
INSERT INTO hint_beat (instance, worker, through_at, seen_at)
VALUES (:instance, :worker, 'epoch', clock_timestamp())
ON CONFLICT (instance, worker) DO UPDATE SET seen_at = excluded.seen_at, has_left = false
