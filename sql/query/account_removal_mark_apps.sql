-- Marks some of an account's apps as removed, so that nobody installs, reviews or deploys them any
-- more and their versions may go. Notifies all workers; pages read again. Rows that are locked are
-- left for the next portion.
-- params: account_id uuid, row_limit int8
-- row: removed_portion
-- work: grows with the account's apps
-- rare: an account is removed, and this pauses between its portions
WITH portion AS (
	SELECT id, generation
	FROM app
	WHERE account_id = :account_id AND NOT is_removed
	LIMIT :row_limit
	FOR UPDATE SKIP LOCKED
), marked AS (
	UPDATE app
	SET is_removed = true, status = 'disabled', deployed_version_id = NULL,
		generation = app.generation + 1
	FROM portion
	WHERE app.id = portion.id
), told AS (
	SELECT pg_notify('displayd_hint',
		string_agg('app:' || id || ':' || generation + 1, ' ')
		|| ' changed:00000000-0000-0000-0000-000000000000:apps'
		|| ' changed:00000000-0000-0000-0000-000000000000:reviews')
	FROM portion
	HAVING count(*) > 0
)
SELECT (SELECT count(*) FROM portion, told) AS removed, EXISTS (
	SELECT
	FROM app
	WHERE account_id = :account_id AND NOT is_removed AND id NOT IN (SELECT id FROM portion))
	AS is_left
