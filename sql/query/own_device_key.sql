-- A new key for a device of an account; the old key, and a second one that its panel was to get,
-- are not valid any more. No row: the device is gone.
-- params: id uuid, account_id uuid, link_key_hash bytea, address text, session_id uuid
-- row: generation int8
WITH changed AS (
	UPDATE device
	SET link_key_hash = :link_key_hash,
		second_key_hash = NULL,
		order_key = NULL,
		order_url = NULL,
		order_generation = CASE WHEN order_key IS NULL THEN order_generation END,
		generation = generation + 1
	WHERE id = :id AND account_id = :account_id
	RETURNING account_id, name, generation
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'device.key', changed.name, :address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
)
SELECT generation
FROM changed
