-- Finds the API keys, among those with these hashes (32 bytes each), that are still valid, see
-- key_find.
-- params: secret_hashes bytea
-- row: secret_hash bytea, account_id uuid, scope text, ends_at timestamptz?, devices bytea
SELECT api_key.secret_hash, api_key.account_id, api_key.scope, api_key.ends_at,
	coalesce((SELECT string_agg(uuid_send(device_id), '' ORDER BY device_id)
		FROM unnest(api_key.device_ids) AS device_id), '') AS devices
FROM api_key
JOIN account ON account.id = api_key.account_id
WHERE api_key.secret_hash = ANY (ARRAY (
		SELECT substr(:secret_hashes, 32 * number + 1, 32)
		FROM generate_series(0, length(:secret_hashes) / 32 - 1) AS number))
	AND api_key.revoked_at IS NULL
	AND (api_key.ends_at IS NULL OR api_key.ends_at > present_time())
	AND account.closed_at IS NULL
