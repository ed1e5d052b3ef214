-- The IDs of an account's devices, 16 bytes each, of at most row_limit.
-- params: account_id uuid, row_limit int8
-- row: ids bytea
-- work: grows with devices of an account
SELECT coalesce(string_agg(uuid_send(id), ''), '') AS ids
FROM (
	SELECT id
	FROM device
	WHERE account_id = :account_id
	ORDER BY created_at, id
	LIMIT :row_limit
) AS eligible
