-- Lets the panel of a device in, or refuses it from now on, and tells all workers. Where it is so
-- already nothing changes.
-- params: id uuid, is_disabled bool
-- row: device_access
-- effect: write
-- work: bounded
WITH changed AS (
	UPDATE device
	SET disabled_at = CASE WHEN :is_disabled THEN present_time() END,
		generation = generation + 1
	WHERE id = :id AND (disabled_at IS NOT NULL) <> :is_disabled
	RETURNING id, name, generation
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', CASE WHEN :is_disabled THEN 'device.disable' ELSE 'device.enable' END, name
	FROM changed
), told AS (
	SELECT count(pg_notify('displayd_hint', 'device:' || id || ':' || generation)) AS hints
	FROM changed
)
SELECT device.id, device.name, :is_disabled AS is_disabled
FROM device, told
WHERE device.id = :id
