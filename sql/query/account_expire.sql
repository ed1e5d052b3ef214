-- Removes the expired entries of one device of an account. No row: the account's devices have none.
-- params: account_id uuid
-- row: id uuid, generation int8
-- changes: id
WITH found AS (
	SELECT id
	FROM device
	WHERE account_id = :account_id AND (
		SELECT true
		FROM installation
		WHERE installation.device_id = device.id AND expires_at <= (SELECT present_time())
		LIMIT 1) -- one look-up a device, whatever the planner thinks
	LIMIT 1
	FOR NO KEY UPDATE
), touched AS (
	UPDATE device
	SET generation = device.generation + 1
	FROM found
	WHERE device.id = found.id
	RETURNING device.id, device.generation
), removed AS (
	DELETE FROM installation
	USING touched
	WHERE installation.device_id = touched.id AND expires_at <= present_time()
)
SELECT id, generation
FROM touched
