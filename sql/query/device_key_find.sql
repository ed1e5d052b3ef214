-- The device whose own key this is, if its owner allows that for calls of /v0. Keys are random: more than one row is a
-- copy made by hand, and the oldest counts.
-- params: link_key_hash bytea
-- row: id uuid, account_id uuid
SELECT device.id, device.account_id
FROM device
JOIN account ON account.id = device.account_id
WHERE device.link_key_hash = :link_key_hash AND device.allows_own_key AND device.disabled_at IS NULL
	AND account.closed_at IS NULL
ORDER BY device.created_at, device.id
LIMIT 1
