-- Changes the name, scope, devices and end of an API key of an account, and tells all workers with
-- the commit, as a revocation does, to drop it from their caches. The parameters are those of
-- own_key_create. What the key has set up and may not have any more ends by own_key_end, unless it is kept; the worker
-- that holds its MQTT connection learns of the new end. No row: the
-- account has none that is not revoked with this ID.
-- params: account_id uuid, id uuid, name text, scope text, device_ids uuid[], ends_at timestamptz,
--   keeps_set_up bool, address text, session_id uuid
-- row: key_entry
-- refuse: 23D01 -> no_such_device
-- rare: an owner changes a key, whose old rights must end everywhere with the commit
WITH changed AS (
	UPDATE api_key
	SET name = :name, scope = :scope, device_ids = chosen_devices(:account_id, :device_ids),
		ends_at = nullif(:ends_at, timestamptz 'epoch'), keeps_set_up = :keeps_set_up
	WHERE id = :id AND account_id = :account_id AND revoked_at IS NULL
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'key.update', changed.name, :address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
), told AS (
	SELECT pg_notify('displayd_hint', 'key:' || encode(secret_hash, 'hex')),
		CASE WHEN has_set_up THEN pg_notify('displayd_hint', 'mqtt:' || account_id) END
	FROM changed
)
SELECT {key_entry}
FROM changed
CROSS JOIN LATERAL (
	SELECT to_json(device_ids)::text AS devices,
		CASE WHEN has_set_up AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time() IS NOT TRUE
			THEN key_set_up(id) ELSE '[]' END AS set_up
) AS chosen
CROSS JOIN told
