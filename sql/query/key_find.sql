-- An API key that was not revoked and has not ended, its scope, and its account, unless that is
-- being removed. devices: the IDs of the chosen devices in their order, 16 bytes each; empty: all.
-- params: secret_hash bytea
-- row: id uuid, account_id uuid, scope text, ends_at timestamptz?, devices bytea
SELECT api_key.id, api_key.account_id, api_key.scope, api_key.ends_at,
	coalesce((SELECT string_agg(uuid_send(device_id), '' ORDER BY device_id)
		FROM unnest(api_key.device_ids) AS device_id), '') AS devices
FROM api_key
JOIN account ON account.id = api_key.account_id
WHERE api_key.secret_hash = :secret_hash AND api_key.revoked_at IS NULL
	AND (api_key.ends_at IS NULL OR api_key.ends_at > present_time())
	AND account.closed_at IS NULL
