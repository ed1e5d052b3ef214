-- Makes a device follow another one of its account. Both are locked in the order of their IDs, as by other changes of
-- several devices. No row: one of them is gone.
-- params: id uuid, leader_id uuid, account_id uuid, own_brightness bool, own_sleep bool
-- row: generation int8
-- changes: id
-- refuse: device_leader_leads -> device_follows
WITH locked AS (
	SELECT id, account_id
	FROM device
	WHERE id IN (:id, :leader_id)
	ORDER BY id
	FOR NO KEY UPDATE
)
UPDATE device
SET leader_id = :leader_id,
	own_brightness = :own_brightness,
	own_sleep = :own_sleep,
	generation = generation + 1
WHERE id = :id AND (SELECT count(*) FROM locked WHERE account_id = :account_id) = 2
RETURNING generation
