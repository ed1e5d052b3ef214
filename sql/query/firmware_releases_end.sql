-- Ends the fetch of releases, or gives it back to another worker. No row: another one has it.
-- params: lease uuid, is_given_back bool, problem text?, images text
-- row: is_it bool
UPDATE firmware_releases
SET state = CASE WHEN :is_given_back THEN 'waiting' WHEN :problem::text IS NULL THEN 'done' ELSE 'failed' END,
	problem = :problem, images = :images, step = NULL, bytes = 0, size_bytes = NULL,
	lease = NULL, leased_until = '-infinity',
	tries = CASE WHEN :is_given_back THEN tries - 1 ELSE tries END,
	ended_at = CASE WHEN NOT :is_given_back THEN present_time() END
WHERE is_it AND state = 'fetching' AND lease = :lease
RETURNING is_it
