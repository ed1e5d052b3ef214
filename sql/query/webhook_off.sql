-- Switches off a webhook that has failed for three days, or whose last answer was 410. No row: neither is so any more,
-- or it has begun anew since then.
-- params: id uuid
-- row: account_id uuid
UPDATE webhook
SET is_enabled = false, switched_off_at = present_time()
WHERE id = :id AND is_enabled AND (failing_since < present_time() - interval '3 days'
	OR (last_status = 410 AND failing_since IS NOT NULL))
RETURNING account_id
