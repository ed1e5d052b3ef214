-- The device that a device follows, and those that follow it; of a key for chosen devices, only these. No row: the
-- device is gone. What a follower keeps of its own ends with its leader.
-- params: device_id uuid, chosen_ids uuid[]
-- row: following
SELECT {following}
FROM (
	SELECT leader_id::text AS leader, own_brightness AND leader_id IS NOT NULL AS own_brightness,
		own_sleep AND leader_id IS NOT NULL AS own_sleep, coalesce((
			SELECT json_agg(follower.id ORDER BY follower.created_at, follower.id)
			FROM device AS follower
			WHERE follower.leader_id = device.id
				AND (cardinality(:chosen_ids) = 0 OR follower.id = ANY (:chosen_ids))
		)::text, '[]') AS followers
	FROM device
	WHERE id = :device_id
) AS of_device
