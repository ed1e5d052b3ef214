-- Previews of deployed apps reach what --egress-allow opens for the accounts that an administrator marked, and
-- administrators can close it to all apps. The first account is marked: here the oldest administrator, or if there
-- is none, the oldest account. Nobody else is marked, so no account reaches more than before.
--
-- Earlier programs may run meanwhile: they ask for the role of administrator instead of the mark, and do not know
-- the switch.

ALTER TABLE account ADD COLUMN reaches_local boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN account.reaches_local IS
	'its previews of deployed apps reach what --egress-allow opens; set by an administrator';
ALTER TABLE site ADD COLUMN apps_reach_local boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN site.apps_reach_local IS
	'apps reach what --egress-allow opens; false: public addresses only, whatever it opens';

UPDATE account
SET reaches_local = true
WHERE id = (
	SELECT id
	FROM account
	WHERE closed_at IS NULL
	ORDER BY is_administrator DESC, created_at, id
	LIMIT 1);

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
