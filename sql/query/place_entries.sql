-- The entries at a place that are on devices of these accounts, at most row_limit.
-- params: place bytea, account_ids uuid[], row_limit int8
-- row: account_id uuid, device_id uuid, id text
-- effect: read
-- work: grows with entries at a place
SELECT device.account_id, installation.device_id, installation.id
FROM installation
JOIN device ON device.id = installation.device_id
WHERE installation.place = :place AND device.account_id = ANY (:account_ids)
LIMIT :row_limit
