-- A new key for a device, of which all workers learn; the old one is worth nothing from now on.
-- params: id uuid, link_key_hash bytea
-- row: device_row
-- effect: write
-- work: bounded
WITH changed AS (
	UPDATE device
	SET link_key_hash = :link_key_hash, generation = generation + 1
	WHERE id = :id
	RETURNING id, name, serial, mac::text AS mac, created_at, generation
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', 'device.key', name
	FROM changed
), told AS (
	SELECT pg_notify('displayd_hint', 'device:' || id || ':' || generation)
	FROM changed
)
SELECT changed.{device_row}
FROM changed, told
