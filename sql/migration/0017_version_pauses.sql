-- Versions that crash at one place after the other rest as a whole; and why versions do not compile, for
-- their pages.

-- A minute from the third crash in a row on, then twice as long each time, up to six hours; NULL: none.
CREATE FUNCTION crash_pause(crashes int4) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN crashes >= 3
		THEN least(360, 2 ^ (least(crashes, 20) - 3)) * interval '1 minute' END
$$;

CREATE FUNCTION is_place_of_others(of_place bytea, than_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT EXISTS (
		SELECT
		FROM installation
		JOIN device ON device.id = installation.device_id
		WHERE installation.place = of_place AND device.account_id <> than_account)
$$;

-- Each version has its row from the start: who stores a render may not wait for the version itself,
-- whose removal locks that before its renders.
CREATE TABLE version_crashes (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	crashes int4 NOT NULL DEFAULT 0,
	account_id uuid,
	paused_until timestamptz,
	trial uuid,
	CONSTRAINT version_crashes_paused CHECK ((crashes >= 3) = (paused_until IS NOT NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE version_crashes IS 'renders of a version that crashed or met a limit';
COMMENT ON COLUMN version_crashes.crashes IS 'in a row at all its places: since its last good render';
COMMENT ON COLUMN version_crashes.account_id IS
	'all of them were at places of this account alone, which alone has the pause; NULL: of several';
COMMENT ON COLUMN version_crashes.paused_until IS
	'nothing is rendered before at places that the version has not drawn well last; then one is, and '
	'has a minute for it';
COMMENT ON COLUMN version_crashes.trial IS 'the claim of that one';
INSERT INTO version_crashes (version_id)
SELECT id
FROM app_version;

CREATE FUNCTION app_version_crashes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO version_crashes (version_id) VALUES (NEW.id);
	RETURN NULL;
END
$$;
CREATE TRIGGER app_version_has_crashes AFTER INSERT ON app_version
	FOR EACH ROW EXECUTE FUNCTION app_version_crashes();

-- JSON: why a version in TypeScript does not compile; null: it does, or nobody knows yet.
CREATE FUNCTION compile_problem(of_version uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce((
		SELECT json_build_object('kind', CASE WHEN told ->> 'kind'
				IN ('script', 'app', 'limit', 'crash') THEN told ->> 'kind'
				ELSE 'unavailable' END,
			'message', told -> 'message', 'file', told -> 'file', 'line', told -> 'line',
			'column', told -> 'column')::text
		FROM app_compiled
		CROSS JOIN LATERAL (SELECT problem::json AS told) AS one
		WHERE version_id = of_version AND problem IS NOT NULL
	), 'null')
$$;
