-- An API key of an export.
-- params: account_id uuid, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: api_key_pkey -> key_taken, api_key_secret_hash_unique -> key_taken,
--   account_key_limit -> too_many_keys
-- refuse: 22 -> not_storable, 23 -> not_storable
INSERT INTO api_key (id, account_id, name, secret_hash, first_characters, scope, device_ids, ends_at,
	created_at)
SELECT id, :account_id, name, decode("secretHash", 'hex'), "firstCharacters", coalesce(scope, 'all'),
	"deviceIds", "endsAt", least("createdAt", present_time())
FROM jsonb_to_record(:line::jsonb)
	AS line (id uuid, name text, "secretHash" text, "firstCharacters" text,
		scope text, "deviceIds" uuid[], "endsAt" timestamptz, "createdAt" timestamptz)
RETURNING id
