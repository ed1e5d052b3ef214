-- The API keys of all accounts, or of one, oldest first, revoked ones included.
-- params: account_id uuid
-- row: inventory_key
-- work: grows with keys
-- list: api_key.created_at, api_key.id
SELECT api_key.id, api_key.name, account.email AS account, api_key.first_characters,
	api_key.scope, to_json(api_key.device_ids)::text AS devices, api_key.ends_at, api_key.created_at,
	api_key.last_used_at, api_key.secret_hash,
	CASE WHEN api_key.has_set_up THEN key_set_up(api_key.id) ELSE '[]' END AS set_up,
	api_key.revoked_at
FROM api_key
JOIN account ON account.id = api_key.account_id
WHERE {after}
	AND :account_id IN (api_key.account_id, '00000000-0000-0000-0000-000000000000')
{order}
