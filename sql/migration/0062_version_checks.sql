-- Each version of an app is loaded once before it can be approved or deployed, in any language, and the verdict stays
-- with it. Before, only TypeScript was compiled, and a version that nobody had compiled yet could be approved.
--
-- Versions that await review are queued now. Those that were reviewed before have no row: they are queued when they
-- are to be deployed, and a version that is deployed stays so. Why TypeScript does not compile is part of the verdict,
-- so app_compiled has only JavaScript from now on; rows without any are removed.
--
-- Older instances may run meanwhile: they check nothing, and compile only what they render. So the columns tries,
-- claimed_until and problem of app_compiled stay, and the function compile_problem().

CREATE TABLE version_check (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	share uuid NOT NULL,
	script_language text NOT NULL,
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	checked_at timestamptz,
	is_bad boolean NOT NULL DEFAULT false,
	verdict text,
	CONSTRAINT version_check_verdict CHECK ((checked_at IS NULL) = (verdict IS NULL)),
	CONSTRAINT version_check_bad CHECK (NOT is_bad OR checked_at IS NOT NULL),
	CONSTRAINT version_check_size CHECK (octet_length(verdict) <= 65536)
) WITH (fillfactor = 70);
COMMENT ON TABLE version_check IS 'whether versions can run: queue of those to be loaded, and verdicts';
COMMENT ON COLUMN version_check.share IS
	'account that owned the app at the submission: the accounts take turns; the greatest ID: none';
COMMENT ON COLUMN version_check.claimed_until IS 'a worker checks it until then, or it is tried again then';
COMMENT ON COLUMN version_check.is_bad IS 'it cannot run, so it cannot be approved';
COMMENT ON COLUMN version_check.verdict IS 'JSON, as the API shows it';

-- The oldest of each account is next; the others wait for it.
CREATE INDEX version_check_queue ON version_check (script_language, share, version_id) WHERE checked_at IS NULL;

CREATE FUNCTION version_check_share(of_app uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
	SELECT coalesce((SELECT account_id FROM app WHERE id = of_app), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
$$;

INSERT INTO version_check (version_id, share, script_language)
SELECT id, version_check_share(app_id), script_language
FROM app_version
WHERE status = 'PENDING';

DROP TRIGGER app_version_queue ON app_version;
DROP INDEX app_compiled_queue;
DELETE FROM app_compiled WHERE javascript IS NULL;
CREATE OR REPLACE FUNCTION app_version_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO version_check (version_id, share, script_language)
	VALUES (NEW.id, version_check_share(NEW.app_id), NEW.script_language)
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;
-- The import of a collection stores the verdict with the version.
CREATE TRIGGER app_version_queue AFTER INSERT ON app_version
	FOR EACH ROW WHEN (NEW.status IN ('PENDING', 'APPROVED')) EXECUTE FUNCTION app_version_queued();

-- The verdict about a version, as JSON.
CREATE FUNCTION version_verdict(of_version uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(max(coalesce(verdict, one.unknown)),
		'{"state":"unchecked","summary":"not checked yet","problem":null,"remark":null,"fields":null,'
		'"frames":null,"bytes":null,"cpuMs":null}')
	FROM (SELECT '{"state":"pending","summary":"being checked","problem":null,"remark":null,"fields":null,'
		'"frames":null,"bytes":null,"cpuMs":null}' AS unknown) AS one
	JOIN version_check ON version_id = of_version
$$;
