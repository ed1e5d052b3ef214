-- Notes the use of API keys, unless it was noted a moment ago. Locked keys are left for their next
-- use.
-- params: ids uuid[]
WITH used AS (
	SELECT id
	FROM api_key
	WHERE id = ANY (:ids)
		AND (last_used_at IS NULL OR last_used_at < present_time() - interval '1 minute')
	FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE api_key
SET last_used_at = present_time()
FROM used
WHERE api_key.id = used.id
