-- The IDs of two entries of a device that a program of /v0 names; none: the device has no such entry.
-- params: device_id uuid, first text, second text
-- row: first_id text?, second_id text?
SELECT entry_meant(:device_id, :first) AS first_id, entry_meant(:device_id, :second) AS second_id
