-- A panel that follows takes no larger pictures than its board allows; autoDim belongs to the plan that ends dimming that
-- was set by hand.
--
-- A leader whose pictures may be larger than a follower takes gets the follower's limit: its apps are drawn again, and
-- pictures that were pushed stay. Older instances may run meanwhile: they answer 409 without the reason.
UPDATE device
SET picture_limit_bytes = least_limit.bytes, generation = generation + 1
FROM (
	SELECT leader_id, min(picture_limit_bytes) AS bytes
	FROM device
	WHERE leader_id IS NOT NULL
	GROUP BY leader_id
) AS least_limit
WHERE device.id = least_limit.leader_id AND device.picture_limit_bytes > least_limit.bytes;

-- The later of two changes, of a leader and a follower, sees the earlier: the follower's locks the leader's row.
CREATE OR REPLACE FUNCTION device_leader_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM device WHERE id = NEW.leader_id FOR SHARE;
	IF NEW.leader_id IS NOT NULL AND (EXISTS (SELECT FROM device WHERE leader_id = NEW.id)
			OR NOT EXISTS (
				SELECT FROM device WHERE id = NEW.leader_id AND account_id = NEW.account_id AND leader_id IS NULL))
	THEN
		RAISE EXCEPTION 'a leader follows, or a follower leads'
			USING ERRCODE = '23514', CONSTRAINT = 'device_leader_leads';
	END IF;
	IF EXISTS (
		SELECT
		FROM device AS follower
		JOIN device AS leader ON leader.id = follower.leader_id
		WHERE (follower.id = NEW.id OR follower.leader_id = NEW.id)
			AND leader.picture_limit_bytes > follower.picture_limit_bytes)
	THEN
		RAISE EXCEPTION 'a leader has larger pictures than a follower takes'
			USING ERRCODE = '23514', CONSTRAINT = 'device_leader_fits';
	END IF;
	RETURN NULL;
END
$$;
DROP TRIGGER device_leader_leads ON device;
CREATE CONSTRAINT TRIGGER device_leader_leads AFTER UPDATE OF leader_id, picture_limit_bytes ON device
	DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
	WHEN (NEW.leader_id IS DISTINCT FROM OLD.leader_id OR NEW.picture_limit_bytes <> OLD.picture_limit_bytes)
	EXECUTE FUNCTION device_leader_check();

CREATE OR REPLACE TRIGGER device_dim_unset
	BEFORE UPDATE OF dim_enabled, dim_start_minute, sleep_end_minute, timezone, auto_dim ON device
	FOR EACH ROW WHEN (OLD.is_dim_set AND (OLD.dim_enabled, OLD.dim_start_minute, OLD.sleep_end_minute,
		OLD.timezone, OLD.auto_dim) IS DISTINCT FROM (NEW.dim_enabled, NEW.dim_start_minute, NEW.sleep_end_minute,
		NEW.timezone, NEW.auto_dim))
	EXECUTE FUNCTION device_dim_unset();
