-- Ends the update of all panels of an account: no further panel gets its image. No row: none is running.
-- A key for chosen devices ends none that has others left.
-- params: account_id uuid, chosen_ids uuid[]
-- row: series_id uuid
UPDATE firmware_series
SET state = 'cancelled', ended_at = present_time()
WHERE account_id = :account_id AND state = 'running' AND (cardinality(:chosen_ids) = 0 OR NOT EXISTS (
		SELECT FROM firmware_series_device AS item
		WHERE item.series_id = firmware_series.series_id AND item.state IN ('waiting', 'updating')
			AND item.device_id <> ALL (:chosen_ids)))
RETURNING series_id
