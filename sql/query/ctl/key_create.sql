-- A new API key of the account with this e-mail address, which must own a device. While the key is
-- made, a lock keeps that device from being removed.
-- No row: there is no such account. A row without id: the account owns no device.
-- params: id uuid, account_email text, name text, secret_hash bytea,
--   first_characters text
-- row: key_row
-- effect: write
-- work: bounded
WITH owner AS (
	SELECT id
	FROM account
	WHERE lower(email) = lower(:account_email) AND closed_at IS NULL
), owned AS (
	SELECT device.id
	FROM device
	JOIN owner ON device.account_id = owner.id
	LIMIT 1
	FOR KEY SHARE OF device
), fresh AS (
	INSERT INTO api_key (id, account_id, name, secret_hash, first_characters)
	SELECT :id, owner.id, :name, :secret_hash, :first_characters
	FROM owner
	WHERE EXISTS (SELECT FROM owned)
	RETURNING id, name, first_characters, created_at, last_used_at, revoked_at
)
SELECT owner.id AS account_id, fresh.id, fresh.name, fresh.first_characters, fresh.created_at,
	fresh.last_used_at, fresh.revoked_at
FROM owner
LEFT JOIN fresh ON true
