-- Whether a device has an installation with this ID.
-- params: device_id uuid, id text
-- row: exists bool
-- effect: read
SELECT EXISTS (
	SELECT FROM installation WHERE device_id = :device_id AND id = :id
) AS exists
