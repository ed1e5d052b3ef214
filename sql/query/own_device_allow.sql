-- Accepts the panel of a device, or refuses it from now on. No row: that is so already, or the
-- device is gone.
-- params: id uuid, account_id uuid, is_disabled bool, address text, session_id uuid
-- row: generation int8
WITH changed AS (
	UPDATE device
	SET disabled_at = CASE WHEN :is_disabled THEN present_time() END,
		generation = generation + 1
	WHERE id = :id AND account_id = :account_id
		AND (disabled_at IS NOT NULL) <> :is_disabled
	RETURNING account_id, name, generation
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email,
		CASE WHEN :is_disabled THEN 'device.disable' ELSE 'device.enable' END, changed.name,
		:address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
)
SELECT generation
FROM changed
