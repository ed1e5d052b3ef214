-- A part of the devices of an account, or those among chosen_ids that it owns, in the form of /v0,
-- oldest first: at most so many after a list position.
-- params: account_id uuid, chosen_ids uuid[], after_created_at timestamptz, after_id uuid, row_limit int8
-- row: device_v0, created_at timestamptz
-- effect: read
-- work: bounded
SELECT {device_v0}, created_at
FROM device_v0
WHERE account_id = :account_id AND (cardinality(:chosen_ids) = 0 OR id = ANY (:chosen_ids))
	AND (created_at, id) > (:after_created_at, :after_id)
ORDER BY created_at, id
LIMIT :row_limit
