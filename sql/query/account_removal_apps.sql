-- Removes an app of an account with what it still has: its versions have gone before, unless it was
-- made meanwhile. One that is locked is left for later.
-- params: account_id uuid
-- row: removed_portion
-- effect: write
-- work: grows with the account's apps
WITH portion AS (
	SELECT id
	FROM app
	WHERE account_id = :account_id
	LIMIT 1
	FOR UPDATE SKIP LOCKED
), removed AS (
	DELETE FROM app
	USING portion
	WHERE app.id = portion.id
)
SELECT (SELECT count(*) FROM portion) AS removed, EXISTS (
	SELECT
	FROM app
	WHERE account_id = :account_id AND id NOT IN (SELECT id FROM portion)) AS is_left
