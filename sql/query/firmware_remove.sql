-- Removes an image of panels' firmware.
-- params: id uuid, actor_id uuid, address text, session_id uuid
-- row: id uuid
WITH removed AS (
	DELETE FROM firmware_image
	WHERE id = :id
	RETURNING id, board, version
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'firmware.remove', removed.board || ' ' || removed.version,
		:address, :session_id
	FROM removed
	LEFT JOIN account ON account.id = :actor_id
)
SELECT id
FROM removed
