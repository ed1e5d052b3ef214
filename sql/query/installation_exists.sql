-- Whether a device has an installation with this ID.
-- params: device_id uuid, id text
-- row: exists bool
-- effect: read
-- work: bounded
SELECT EXISTS (
	SELECT FROM installation WHERE device_id = :device_id AND id = :id
) AS exists
