-- Orders a device's panel to fetch an image for its board. No row: the device, or the image, is gone,
-- or the board is another one now. The image is locked first: it may be removed meanwhile.
-- params: id uuid, image_id uuid, address text?, session_id uuid
-- row: generation int8
-- changes: id
WITH image AS (
	SELECT id, board, version
	FROM firmware_image
	WHERE id = :image_id
	FOR KEY SHARE
), changed AS (
	UPDATE device
	SET order_generation = generation + 1,
		ordered_at = present_time(),
		generation = generation + 1
	WHERE id = :id AND board = (SELECT image.board FROM image)
	RETURNING id, account_id, name, generation
), started AS (
	INSERT INTO firmware_update (device_id, image_id, version, former_version)
	SELECT changed.id, image.id, image.version, info.firmware_version
	FROM changed
	CROSS JOIN image
	LEFT JOIN panel_info AS info ON info.device_id = changed.id
	ON CONFLICT (device_id) DO UPDATE
	SET image_id = excluded.image_id, version = excluded.version, former_version = excluded.former_version,
		asked_at = excluded.asked_at, sent_at = NULL, fetched_at = NULL, done_at = NULL
	RETURNING device_id, version
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'device.firmware', changed.name || ' ' || started.version, :address, :session_id
	FROM started
	JOIN changed ON changed.id = started.device_id
	JOIN account ON account.id = changed.account_id
)
SELECT generation
FROM changed
