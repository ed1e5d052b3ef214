-- Removes a device of an account with its rotation. No row: it is gone. generation: as if the removal
-- were a change.
-- params: id uuid, account_id uuid, address text, session_id uuid
-- row: generation int8
-- changes: id
WITH removed AS (
	DELETE FROM device
	WHERE id = :id AND account_id = :account_id
	RETURNING account_id, name, generation + 1 AS generation
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'device.remove', removed.name, :address, :session_id
	FROM removed
	JOIN account ON account.id = removed.account_id
)
SELECT generation
FROM removed
