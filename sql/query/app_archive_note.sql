-- Notes how far the fetch of a collection is, and extends its lease. size_bytes: -1: not known.
-- No row: another worker has it.
-- params: id uuid, lease uuid, lease_ms int8, step text, bytes int8, size_bytes int8, app_count int8, done_count int8
-- row: id uuid
UPDATE app_archive
SET step = :step, bytes = :bytes, size_bytes = nullif(:size_bytes::int8, -1), app_count = :app_count,
	done_count = :done_count, leased_until = present_time() + :lease_ms * interval '1 millisecond'
WHERE id = :id AND state = 'fetching' AND lease = :lease
RETURNING id
