-- Returns the bytes that an account's pushed pictures, drafts and versions take, and their limit.
-- No row: the account is gone.
-- params: account_id uuid
-- row: account_bytes
SELECT account_bytes(id) AS bytes,
	bytes_allowed(byte_limit, device_count) AS bytes_allowed
FROM account
WHERE id = :account_id
