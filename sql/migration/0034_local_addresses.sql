-- Previews of deployed apps reach what --egress-allow opens for the accounts that an administrator marked, and
-- administrators can close it to all apps. The first account of a new instance is marked. Here the administrators are,
-- whose previews reached it so far, and nobody else.
--
-- Earlier programs may run meanwhile: they ask for the role of administrator instead of the mark, and do not know
-- the switch.

ALTER TABLE account ADD COLUMN reaches_local boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN account.reaches_local IS
	'its previews of deployed apps reach what --egress-allow opens; set by an administrator';
ALTER TABLE site ADD COLUMN apps_reach_local boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN site.apps_reach_local IS
	'apps reach what --egress-allow opens; false: public addresses only, whatever it opens';

UPDATE account SET reaches_local = true WHERE is_administrator AND closed_at IS NULL;

CREATE FUNCTION account_is_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM site WHERE account_count = 0) THEN
		NEW.reaches_local := true;
	END IF;
	RETURN NEW;
END
$$;
CREATE TRIGGER account_first BEFORE INSERT ON account
	FOR EACH ROW EXECUTE FUNCTION account_is_first();
