-- Ends the fetch of a collection, or gives it back to another worker: at once, or as one of its
-- tries after a while, if something is_lost. With is_same nothing has changed since the last one,
-- and its result stays. No row: another worker has it.
-- params: id uuid, lease uuid, is_given_back bool, is_lost bool, is_same bool, state text, problem text?,
--   etag text, folders text, held_tree text?, apps text, made int8, updated int8, unchanged int8, failed int8,
--   held int8, gone int8
-- row: id uuid
UPDATE app_archive
SET state = CASE WHEN :is_given_back THEN 'waiting' WHEN :is_same AND held_tree IS NOT NULL THEN 'held' ELSE :state END,
	problem = :problem, step = NULL, bytes = 0, size_bytes = NULL, lease = NULL,
	leased_until = CASE WHEN :is_lost THEN present_time() + interval '30 seconds' ELSE '-infinity' END,
	tries = CASE WHEN :is_lost THEN tries WHEN :is_given_back THEN tries - 1 ELSE 0 END,
	ended_at = CASE WHEN NOT :is_given_back THEN present_time() END,
	etag = CASE WHEN :is_given_back OR :is_same THEN etag ELSE :etag END,
	folders = CASE WHEN :is_given_back OR :is_same OR :state = 'failed' THEN folders ELSE :folders END,
	held_tree = CASE WHEN :is_given_back OR :is_same THEN held_tree ELSE :held_tree END,
	confirmed_tree = CASE WHEN :is_given_back THEN confirmed_tree END,
	apps = CASE WHEN :is_given_back OR :is_same THEN apps ELSE :apps END,
	app_count = CASE WHEN :is_given_back OR :is_same
		THEN made_count + updated_count + unchanged_count + failed_count + held_count
		ELSE :made + :updated + :unchanged + :failed + :held END,
	done_count = CASE WHEN :is_given_back OR :is_same
		THEN made_count + updated_count + unchanged_count + failed_count + held_count
		ELSE :made + :updated + :unchanged + :failed + :held END,
	made_count = CASE WHEN :is_given_back OR :is_same THEN made_count ELSE :made END,
	updated_count = CASE WHEN :is_given_back OR :is_same THEN updated_count ELSE :updated END,
	unchanged_count = CASE WHEN :is_given_back OR :is_same THEN unchanged_count ELSE :unchanged END,
	failed_count = CASE WHEN :is_given_back OR :is_same THEN failed_count ELSE :failed END,
	held_count = CASE WHEN :is_given_back OR :is_same THEN held_count ELSE :held END,
	gone_count = CASE WHEN :is_given_back OR :is_same THEN gone_count ELSE :gone END
WHERE id = :id AND state = 'fetching' AND lease = :lease
RETURNING id
