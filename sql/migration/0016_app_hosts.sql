-- The hosts that apps ask, whoever has them rendered; forms that failed; and renders that cost less to
-- store.

CREATE TABLE app_host (
	app_id uuid NOT NULL REFERENCES app ON DELETE CASCADE,
	host text NOT NULL,
	asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (app_id, host)
);
COMMENT ON TABLE app_host IS
	'that an app has asked in renders, previews, forms and answers of its handlers, without those that '
	'tell of one owner';
COMMENT ON COLUMN app_host.asked_at IS 'on that day for the last time';
INSERT INTO app_host (app_id, host, asked_at)
SELECT app_version.app_id, host, max(render.rendered_at)
FROM render
JOIN app_version ON app_version.id = render.version_id
CROSS JOIN LATERAL unnest(string_to_array(render.hosts, ' ')) AS host
WHERE host <> '' AND render.rendered_at IS NOT NULL
GROUP BY app_version.app_id, host;

-- JSON: the hosts that an app has asked within a month.
CREATE FUNCTION app_hosts(of_app uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(json_agg(host ORDER BY host)::text, '[]')
	FROM app_host
	WHERE app_id = of_app AND asked_at > clock_timestamp() - interval '30 days'
$$;
DROP FUNCTION version_hosts;

CREATE TABLE app_schema_failure (
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	locale text NOT NULL,
	reach int2 NOT NULL,
	engine text NOT NULL,
	kind int2 NOT NULL,
	message text NOT NULL,
	file text NOT NULL,
	line int4 NOT NULL,
	"column" int4 NOT NULL,
	made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (version_id, locale, reach)
);
COMMENT ON TABLE app_schema_failure IS
	'why versions had no schema when they were asked last: they are not asked again at once';
COMMENT ON COLUMN app_schema_failure.reach IS
	'what of the network it was given: 0 nothing, 1 public addresses, 2 all that is allowed';
COMMENT ON COLUMN app_schema_failure.kind IS 'enum engine_problem_kind';

-- Each store changes rendered_at, which is in no index from now on: so it touches none, unless another
-- engine has made the picture. The hashes are set with their pictures, instead of being made anew at
-- each store.
DROP INDEX render_of_version;
CREATE INDEX render_of_version ON render (version_id);
CREATE INDEX render_of_engine ON render (engine);
ALTER TABLE render
	ALTER COLUMN picture_hash DROP EXPRESSION,
	ALTER COLUMN previous_hash DROP EXPRESSION;
