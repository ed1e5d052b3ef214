-- The lines of an account's API keys and passkeys in its export. Keys that were revoked stay behind.
-- params: account_id uuid
-- row: line text
-- effect: read
-- work: grows with the account's keys
(
	SELECT json_strip_nulls(json_build_object('kind', 'key', 'id', id, 'name', name,
		'secretHash', encode(secret_hash, 'hex'), 'firstCharacters', first_characters,
		'scope', nullif(scope, 'all'), 'deviceIds', device_ids, 'endsAt', json_timestamp(ends_at),
		'createdAt', json_timestamp(created_at)))::text AS line
	FROM api_key
	WHERE account_id = :account_id AND revoked_at IS NULL
	ORDER BY created_at, id
) UNION ALL (
	SELECT json_build_object('kind', 'passkey', 'credentialId', credential_id,
		'algorithm', algorithm, 'publicKey', translate(encode(public_key, 'base64'), E'\n', ''),
		'signCount', sign_count, 'name', name, 'createdAt', json_timestamp(created_at))::text
	FROM passkey
	WHERE account_id = :account_id
	ORDER BY created_at, id
)
