-- The devices of an account, or those among chosen_ids that it owns, in the form of /v0, oldest
-- first.
-- params: account_id uuid, chosen_ids uuid[]
-- row: device_v0, created_at timestamptz
-- list: created_at, id
SELECT {device_v0}, created_at
FROM device_v0
WHERE account_id = :account_id AND {after}
	{part: AND (cardinality(:chosen_ids) = 0 OR id = ANY (:chosen_ids))}
{order}
