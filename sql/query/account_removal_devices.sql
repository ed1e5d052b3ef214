-- Removes some devices of an account with their rotations, and notifies all workers. Rows that are
-- locked are left for the next portion, so that it never waits with others locked.
-- params: account_id uuid, row_limit int8
-- row: removed_portion
-- work: grows with the account's devices
-- changes: told
-- rare: an account is removed, and this pauses between its portions
WITH portion AS (
	SELECT id, generation
	FROM device
	WHERE account_id = :account_id
	LIMIT :row_limit
	FOR UPDATE SKIP LOCKED
), removed AS (
	DELETE FROM device
	USING portion
	WHERE device.id = portion.id
), told AS (
	SELECT pg_notify('displayd_hint',
		string_agg('device:' || id || ':' || generation + 1, ' ')),
		pg_notify('displayd_hint', string_agg('read:' || id, ' '))
	FROM portion
	HAVING count(*) > 0
)
SELECT (SELECT count(*) FROM portion, told) AS removed, EXISTS (
	SELECT
	FROM device
	WHERE account_id = :account_id AND id NOT IN (SELECT id FROM portion)) AS is_left
