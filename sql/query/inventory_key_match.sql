-- The API keys that an administrator may mean: by ID, else by name, in any case if none has it exactly, or by the
-- first characters; of all accounts, or of one. Those that are not revoked come first. At most 11.
-- params: account_id uuid, key text
-- row: inventory_key
-- work: grows with keys
WITH matched AS (
	SELECT api_key.id, api_key.name, account.email AS account, api_key.first_characters, api_key.scope,
		to_json(api_key.device_ids)::text AS devices, api_key.ends_at, api_key.created_at, api_key.last_used_at,
		api_key.secret_hash, api_key.revoked_at,
		CASE WHEN api_key.has_set_up THEN key_set_up(api_key.id) ELSE '[]' END AS set_up,
		api_key.id::text = lower(:key) AS has_id, lower(api_key.name) <> lower(:key) OR api_key.name = :key AS is_exact
	FROM api_key
	JOIN account ON account.id = api_key.account_id
	WHERE (api_key.id::text = lower(:key) OR lower(api_key.name) = lower(:key)
			OR api_key.first_characters LIKE 'ddk\_%' AND length(:key) > 4
				AND starts_with(api_key.first_characters, :key))
		AND :account_id IN (api_key.account_id, '00000000-0000-0000-0000-000000000000')
)
SELECT id, name, account, first_characters, scope, devices, ends_at, created_at, last_used_at,
	secret_hash, set_up, revoked_at
FROM matched
WHERE has_id
	OR NOT EXISTS (SELECT FROM matched WHERE has_id)
		AND (is_exact OR NOT EXISTS (SELECT FROM matched WHERE is_exact))
ORDER BY revoked_at IS NOT NULL, created_at, id
LIMIT 11
