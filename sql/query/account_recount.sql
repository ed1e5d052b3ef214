-- Adds up the bytes of the pictures of an account's devices again: older programs may have left a
-- wrong sum.
-- params: account_id uuid
-- row: counted int8
-- work: grows with the account's pictures
WITH locked AS (
	SELECT id
	FROM device
	WHERE account_id = :account_id
	ORDER BY id
	FOR NO KEY UPDATE
), anew AS MATERIALIZED (
	SELECT id, pushed_bytes(id) AS bytes
	FROM locked
), counted AS (
	UPDATE device
	SET picture_bytes = anew.bytes
	FROM anew
	WHERE device.id = anew.id AND device.picture_bytes <> anew.bytes
	RETURNING device.id
)
SELECT count(*) AS counted
FROM counted
