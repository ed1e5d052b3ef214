-- Ends what an API key has set up and may not have any more, as own_key_end does: of the key that has ended first.
-- No row: there is none.
-- row: id uuid, ended int8
-- effect: write
SELECT due.id, key_set_up_end(due.id, NULL, '00000000-0000-0000-0000-000000000000') AS ended
FROM (
	SELECT id
	FROM api_key
	WHERE has_set_up AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
	ORDER BY key_set_up_until(revoked_at, ends_at, scope, device_ids)
	LIMIT 1
) AS due
