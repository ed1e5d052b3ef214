-- An account of an export; it gets no role.
-- params: id uuid, email text, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: account_email_unique -> email_taken
-- refuse: 22 -> not_storable, 23 -> not_storable
INSERT INTO account (id, email, name, created_at, password_hash)
SELECT :id, :email, name, least("createdAt", present_time()), "passwordHash"
FROM jsonb_to_record(:line::jsonb)
	AS line (name text, "createdAt" timestamptz, "passwordHash" text)
RETURNING id
