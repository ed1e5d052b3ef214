-- The devices of an account, oldest first; of a key for chosen devices, only these.
-- params: account_id uuid, chosen_ids uuid[]
-- row: device_shown, created_at timestamptz
-- list: created_at, id
SELECT {device_shown}, created_at
FROM device
WHERE account_id = :account_id AND {after}
	{part: AND (cardinality(:chosen_ids) = 0 OR id = ANY (:chosen_ids))}
{order}
