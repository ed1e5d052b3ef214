-- A part of an account's API keys that are not revoked, oldest first: at most so many after a list
-- position.
-- params: account_id uuid, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: key_entry
-- effect: read
-- work: bounded
SELECT {key_entry}
FROM api_key
CROSS JOIN LATERAL (
	SELECT to_json(device_ids)::text AS devices, CASE WHEN has_set_up THEN key_set_up(id) ELSE '[]' END AS set_up
) AS chosen
WHERE account_id = :account_id AND revoked_at IS NULL
	AND (created_at, id) > (:after_created_at, :after_id)
ORDER BY created_at, id
LIMIT :row_limit
