-- Leases the render of one version of an app for a render key to a worker: no other worker
-- renders it until lease_ms have passed. The row has everything that the script needs. is_leased
-- is false: the caller does not have its language (is_supported), or it is being rendered, or is not
-- due, for wait_ms. device_id and installation_id: the installation whose secret settings these
-- are, one of those with the render key. No row: the version is not deployed, or no installation
-- has the render key. If the version is paused, the render key is held unless its last render by
-- this version was good; when the pause is over, one of the held render keys is leased as a trial,
-- and the others are held a minute longer. The query waits for no lock, and reads the version
-- first, whose removal would wait for it. ahead_ms: time until the moment for which it is rendered;
-- a picture that is still good then is not due. reaches_local: apps may reach the addresses of
-- --egress-allow.
-- params: render_key bytea, version_id uuid, lease uuid, languages text[], lease_ms int8,
--   ahead_ms int8
-- row: is_leased bool, is_supported bool, wait_ms int8, device_id uuid, installation_id text,
--   settings text, secret_settings bytea?, timezone text, locale text, place text, duration_s int4,
--   picture_limit_bytes int4, size text, script_language text, script_content text?, checksum text,
--   javascript text?, reaches_local bool
WITH wanted AS (
	SELECT installation.device_id, installation.id AS installation_id, installation.settings,
		installation.secret_settings, device.timezone, device.locale, device.place_json AS place,
		render_duration_s(coalesce(installation.display_s, device.schedule_interval_s),
			installation.plays_whole) AS duration_s, device.picture_limit_bytes, device.size,
		app_version.script_language, app_version.script_content, app_version.checksum,
		app_compiled.javascript,
		app_version.script_language = ANY (:languages) AS is_supported
	FROM (
		SELECT *
		FROM installation
		WHERE place = :render_key
		LIMIT 1
	) AS installation
	JOIN device ON device.id = installation.device_id
	JOIN app ON app.id = installation.app_id
	JOIN app_version ON app_version.id = app.deployed_version_id
	LEFT JOIN app_compiled ON app_compiled.version_id = app_version.id
	WHERE app.deployed_version_id = :version_id AND app.status <> 'disabled'
), held AS (
	SELECT pause.paused_until, pause.paused_until <= present_time() AS is_over
	FROM version_crashes AS pause
	WHERE pause.version_id = :version_id AND pause.paused_until IS NOT NULL
		AND (pause.account_id IS NULL OR NOT is_place_of_others(:render_key, pause.account_id))
		AND NOT EXISTS (
			SELECT
			FROM render
			WHERE place = :render_key AND version_id = :version_id AND good_at IS NOT NULL
				AND failures = 0)
), leasable AS (
	SELECT render.place, render.version_id
	FROM render, wanted
	WHERE render.place = :render_key AND render.version_id = :version_id AND wanted.is_supported
		AND (render.claimed_until IS NULL OR render.claimed_until <= present_time())
		AND render.due_at <= present_time()
			+ greatest(1000, :ahead_ms) * interval '1 millisecond'
		AND NOT EXISTS (SELECT FROM held WHERE NOT is_over)
	FOR NO KEY UPDATE OF render SKIP LOCKED
), next AS (
	SELECT pause.version_id
	FROM held, wanted, version_crashes AS pause
	JOIN app_version ON app_version.id = pause.version_id
	WHERE pause.version_id = :version_id AND pause.paused_until <= present_time()
		AND wanted.is_supported AND (EXISTS (SELECT FROM leasable) OR NOT EXISTS (
			SELECT
			FROM render
			WHERE place = :render_key AND version_id = :version_id))
	FOR KEY SHARE OF app_version SKIP LOCKED
	FOR NO KEY UPDATE OF pause SKIP LOCKED
), trial AS (
	UPDATE version_crashes
	SET paused_until = present_time() + interval '1 minute', trial = :lease
	FROM next
	WHERE version_crashes.version_id = next.version_id
	RETURNING true
), open AS (
	SELECT NOT EXISTS (SELECT FROM held) OR EXISTS (SELECT FROM trial) AS is_open
), fresh AS (
	INSERT INTO render (place, version_id, claimed_by, claimed_until)
	SELECT :render_key, :version_id, :lease, present_time() + :lease_ms * interval '1 millisecond'
	FROM wanted, open
	WHERE is_supported AND is_open
	ON CONFLICT DO NOTHING
	RETURNING true
), leased AS (
	UPDATE render
	SET claimed_by = :lease,
		claimed_until = present_time() + :lease_ms * interval '1 millisecond'
	FROM leasable, open
	WHERE render.place = leasable.place AND render.version_id = leasable.version_id
		AND open.is_open
	RETURNING true
), taken AS (
	SELECT EXISTS (SELECT FROM fresh) OR EXISTS (SELECT FROM leased) AS is_leased
)
SELECT taken.is_leased, wanted.is_supported, milliseconds_until(greatest((
		SELECT greatest(claimed_until, due_at)
		FROM render
		WHERE place = :render_key AND version_id = :version_id
	), (SELECT paused_until FROM held))) AS wait_ms,
	wanted.device_id, wanted.installation_id, wanted.settings, wanted.secret_settings,
	wanted.timezone, wanted.locale, wanted.place, wanted.duration_s, wanted.picture_limit_bytes,
	wanted.size,
	wanted.script_language, CASE WHEN taken.is_leased AND wanted.javascript IS NULL
		THEN wanted.script_content END AS script_content,
	wanted.checksum, CASE WHEN taken.is_leased THEN wanted.javascript END AS javascript,
	(SELECT apps_reach_local FROM site WHERE is_it) AS reaches_local
FROM wanted, taken
