-- Stores the render of a version of an app for a render key, or why it has failed. A
-- picture that is the same as before keeps its generation, so that no panel gets it again. is_good:
-- the script has run to its end; without a picture it had nothing to show. If it fails more than
-- once in a row, it is not tried for twice as long each time, up to five minutes. is_blamed: it has
-- crashed, or met a limit; from the third time in a row on it is paused, for longer each time.
-- Crashes and exceeded limits are counted for the version, too, until any of its renders is good:
-- for the account whose render key it was or, if several accounts share it, for all. Renders that
-- were running when that pause began do not prolong it. The picture of another version is removed
-- when the deployed version has its first one. The query locks nothing of the app, whose removal
-- locks the app before its renders, and locks renders before version_crashes. No row: the lease has
-- run out, and another worker has it.
-- params: render_key bytea, version_id uuid, lease uuid, engine text, is_good bool, is_blamed bool,
--   picture bytea?, duration_ms int4, cut text?, is_whole bool, took_us int8, max_age_s int4, interval_s int4,
--   is_each_turn bool, moment_s int8, ahead_ms int8, log text,
--   problem text?, hosts text
-- row: generation int8, failures int4, misses int4, app_id uuid
WITH mine AS (
	SELECT render.*, CASE WHEN :is_blamed THEN render.failures + 1 ELSE 0 END AS failed,
		CASE WHEN :is_good THEN 0 ELSE render.misses + 1 END AS missed,
		:is_good AND :picture::bytea IS NOT NULL AND render.picture IS DISTINCT FROM :picture
			AS is_new,
		CASE WHEN :is_good THEN :max_age_s ELSE render.max_age_s END AS age_s,
		CASE WHEN :is_good THEN :interval_s ELSE render.interval_s END AS pause_s
	FROM render
	WHERE place = :render_key AND version_id = :version_id AND claimed_by = :lease
	FOR NO KEY UPDATE
), timed AS (
	SELECT mine.*, nextval('render_generation') AS stamp,
		CASE WHEN :is_good AND :is_each_turn AND :picture::bytea IS NOT NULL THEN interval '0'
			-- A picture made for one turn must be due before the next turn.
			WHEN :is_good AND age.limit_s <= 60 THEN 0.9 * age.limit_s * interval '1 second'
			-- Spread the renders that were made at the same time.
			ELSE greatest(15, (0.9 + 0.2 * random()) * age.limit_s) * interval '1 second'
		END AS rest,
		CASE WHEN :is_good THEN greatest(0, :ahead_ms) ELSE 0 END
			* interval '1 millisecond' AS ahead,
		crash_pause(failed) AS pause
	FROM mine
	CROSS JOIN LATERAL (
		SELECT least(86400, greatest(15, least(nullif(age_s, 0), nullif(pause_s, 0)),
			CASE WHEN missed > 1 THEN least(300, 15 * 2 ^ (least(missed, 20) - 1)) END)) AS limit_s
	) AS age
), owner AS (
	SELECT device.account_id, is_place_of_others(:render_key, device.account_id) AS is_one_of_several
	FROM installation
	JOIN device ON device.id = installation.device_id
	WHERE installation.place = :render_key AND :is_blamed
	LIMIT 1
), streak AS (
	SELECT before.version_id, before.crashes, before.paused_until, before.trial,
		owner.account_id AS of_account,
		before.crashes > 0 AND before.account_id IS NULL AS was_of_several,
		before.crashes > 0
			AND (owner.is_one_of_several OR before.account_id <> owner.account_id)
			AND before.account_id IS NOT NULL AS is_of_another,
		owner.is_one_of_several
	FROM timed
	JOIN version_crashes AS before ON before.version_id = timed.version_id
	LEFT JOIN owner ON true
	WHERE (:is_good AND before.crashes > 0) OR (:is_blamed AND owner.account_id IS NOT NULL)
	FOR NO KEY UPDATE OF before
), counted AS (
	SELECT streak.*, CASE WHEN :is_good THEN 0
			-- From now on the pause is that of all accounts, and begins with the
			-- shortest one.
			WHEN is_of_another THEN least(crashes, 2) + 1
			ELSE crashes + 1 END AS count
	FROM streak
	WHERE :is_good OR is_of_another OR crashes < 3 OR paused_until <= present_time()
		OR trial = :lease
), told AS (
	UPDATE version_crashes
	SET crashes = counted.count,
		account_id = CASE WHEN counted.count > 0 AND NOT counted.was_of_several
			AND NOT counted.is_of_another AND NOT counted.is_one_of_several
			THEN counted.of_account END,
		paused_until = present_time() + crash_pause(counted.count),
		trial = NULL
	FROM counted
	WHERE version_crashes.version_id = counted.version_id
), others AS (
	SELECT other.place, other.version_id, other.picture, other.picture_hash
	FROM render AS other
	JOIN app_version ON app_version.id = :version_id
	JOIN app ON app.id = app_version.app_id
	WHERE other.place = :render_key AND other.version_id <> :version_id AND :is_good
		AND app.deployed_version_id = :version_id
	FOR UPDATE OF other SKIP LOCKED
), gone AS (
	DELETE FROM render
	USING others
	WHERE render.place = others.place AND render.version_id = others.version_id
)
UPDATE render
SET generation = timed.stamp,
	picture = CASE WHEN timed.is_new THEN :picture ELSE render.picture END,
	picture_hash = CASE WHEN timed.is_new THEN picture_name(:picture)
		ELSE render.picture_hash END,
	picture_generation = CASE WHEN timed.is_new THEN timed.stamp
		ELSE render.picture_generation END,
	previous_picture = CASE WHEN timed.is_new
		THEN coalesce(render.picture, (SELECT picture FROM others LIMIT 1))
		ELSE render.previous_picture END,
	previous_hash = CASE WHEN timed.is_new
		THEN coalesce(render.picture_hash, (SELECT picture_hash FROM others LIMIT 1))
		ELSE render.previous_hash END,
	duration_ms = CASE WHEN :is_good THEN :duration_ms ELSE render.duration_ms END,
	cut = CASE WHEN :is_good THEN :cut ELSE render.cut END,
	has_nothing = CASE WHEN :is_good THEN :picture::bytea IS NULL ELSE render.has_nothing END,
	is_whole = CASE WHEN :is_good THEN :is_whole ELSE render.is_whole END,
	engine = :engine,
	rendered_at = present_time(),
	good_at = CASE WHEN :is_good THEN present_time() ELSE render.good_at END,
	due_at = present_time() + timed.ahead + coalesce(timed.pause, timed.rest),
	took_us = :took_us,
	max_age_s = timed.age_s,
	interval_s = timed.pause_s,
	is_each_turn = CASE WHEN :is_good THEN :is_each_turn ELSE render.is_each_turn END,
	moment_s = CASE WHEN :is_good THEN :moment_s ELSE render.moment_s END,
	log = :log,
	problem = :problem,
	hosts = CASE WHEN :hosts = '' THEN render.hosts ELSE :hosts END,
	failures = timed.failed,
	misses = timed.missed,
	paused_until = present_time() + timed.pause,
	claimed_by = NULL,
	claimed_until = NULL
FROM timed
WHERE render.place = timed.place AND render.version_id = timed.version_id
RETURNING render.generation, render.failures, render.misses,
	(SELECT app_id FROM app_version WHERE id = render.version_id) AS app_id
