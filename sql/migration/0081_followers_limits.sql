-- A follower may take smaller pictures than its leader: workers make pictures for the limit of each panel.
--
-- No row breaks a rule, as there is one rule less. Older instances may run meanwhile: a follower's panel that they serve gets
-- the leader's pictures as they are, and may be unable to load them.
DROP TRIGGER device_leader_leads ON device;
CREATE OR REPLACE FUNCTION device_leader_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM device WHERE id = NEW.leader_id FOR SHARE;
	IF EXISTS (SELECT FROM device WHERE leader_id = NEW.id)
			OR NOT EXISTS (
				SELECT FROM device WHERE id = NEW.leader_id AND account_id = NEW.account_id AND leader_id IS NULL)
	THEN
		RAISE EXCEPTION 'a leader follows, or a follower leads'
			USING ERRCODE = '23514', CONSTRAINT = 'device_leader_leads';
	END IF;
	RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER device_leader_leads AFTER UPDATE OF leader_id ON device DEFERRABLE INITIALLY IMMEDIATE
	FOR EACH ROW WHEN (NEW.leader_id IS NOT NULL) EXECUTE FUNCTION device_leader_check();
