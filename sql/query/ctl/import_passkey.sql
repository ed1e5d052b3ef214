-- A passkey of an export.
-- params: id uuid, account_id uuid, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: passkey_credential_id_unique -> passkey_known, account_passkey_limit -> too_many_passkeys
-- refuse: 22 -> not_storable, 23 -> not_storable
INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name,
	created_at)
SELECT :id, :account_id, "credentialId", algorithm, decode("publicKey", 'base64'), "signCount",
	name, least("createdAt", present_time())
FROM jsonb_to_record(:line::jsonb)
	AS line ("credentialId" text, algorithm int4, "publicKey" text, "signCount" int8, name text,
		"createdAt" timestamptz)
RETURNING id
