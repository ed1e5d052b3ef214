-- An account's API keys that are not revoked, oldest first.
-- params: account_id uuid
-- row: key_entry
-- list: created_at, id
SELECT {key_entry}
FROM api_key
CROSS JOIN LATERAL (
	SELECT to_json(device_ids)::text AS devices, CASE WHEN has_set_up THEN key_set_up(id) ELSE '[]' END AS set_up
) AS chosen
WHERE account_id = :account_id AND revoked_at IS NULL AND {after}
{order}
