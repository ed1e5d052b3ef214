-- The IDs of an account's devices in their order, 16 bytes each: the chosen ones, or all if there is no choice. At
-- most 1,001, one more than are pushed to at once.
-- params: account_id uuid, chosen uuid[]
-- row: ids bytea
-- work: grows with devices of an account
SELECT coalesce(string_agg(uuid_send(id), '' ORDER BY id), '') AS ids
FROM (
	SELECT id
	FROM device
	WHERE account_id = :account_id AND (cardinality(:chosen) = 0 OR id = ANY (:chosen))
	ORDER BY created_at, id
	LIMIT 1001
) AS eligible
