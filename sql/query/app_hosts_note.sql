-- Notes the hosts that an app has asked, once a day each, and at most about a hundred of an app.
-- The hosts are separated by spaces. The app's row is locked before those of its hosts, as in its
-- removal. So this statement waits for a removal without holding locks.
-- params: app_id uuid, hosts text
-- row: noted int8
WITH asked AS (
	SELECT DISTINCT host
	FROM unnest(string_to_array(:hosts, ' ')) AS host
	WHERE host <> ''
		AND NOT EXISTS (
			SELECT
			FROM app_host
			WHERE app_id = :app_id AND app_host.host = host.host
				AND asked_at > present_time() - interval '1 day')
		AND (SELECT count(*) FROM app_host WHERE app_id = :app_id
			AND asked_at > present_time() - interval '30 days') < 100
), owner AS (
	SELECT id
	FROM app
	WHERE id = :app_id AND EXISTS (SELECT FROM asked)
	FOR KEY SHARE
), noted AS (
	INSERT INTO app_host (app_id, host)
	SELECT owner.id, asked.host
	FROM owner, asked
	ORDER BY asked.host
	ON CONFLICT (app_id, host) DO UPDATE SET asked_at = excluded.asked_at
	RETURNING true
)
SELECT count(*) AS noted
FROM noted
