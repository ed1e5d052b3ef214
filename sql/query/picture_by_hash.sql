-- The picture of a device with this hash, or of the device that it follows: an entry's, what an app's entry showed
-- before, or that of a temporary image.
-- params: device_id uuid, hash text
-- row: picture bytea
WITH shown AS MATERIALIZED (
	SELECT unnest(ARRAY[id, leader_id]) AS device_id
	FROM device
	WHERE id = :device_id
)
(
	SELECT installation.picture
	FROM shown
	JOIN installation ON installation.device_id = shown.device_id
	WHERE installation.picture_hash = :hash AND is_present(installation.expires_at)
	LIMIT 1
)
UNION ALL
(
	SELECT CASE WHEN app_entry.picture_hash = :hash THEN app_entry.picture ELSE app_entry.previous_picture END
	FROM shown
	JOIN app_entry ON app_entry.device_id = shown.device_id
	WHERE :hash IN (app_entry.picture_hash, app_entry.previous_hash)
	LIMIT 1
)
UNION ALL
(
	SELECT showing.picture
	FROM shown
	JOIN showing ON showing.device_id = shown.device_id
	WHERE showing.picture_hash = :hash
)
LIMIT 1
