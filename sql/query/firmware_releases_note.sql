-- Notes how far the fetch of releases is, and extends its lease. size_bytes: -1: not known. No row: another worker has
-- it.
-- params: lease uuid, lease_ms int8, step text?, bytes int8, size_bytes int8, images text
-- row: is_it bool
UPDATE firmware_releases
SET step = :step, bytes = :bytes, size_bytes = nullif(:size_bytes::int8, -1), images = :images,
	leased_until = present_time() + :lease_ms * interval '1 millisecond'
WHERE is_it AND state = 'fetching' AND lease = :lease
RETURNING is_it
