-- The webhooks of an account, oldest first; there are few.
-- params: account_id uuid
-- row: webhook
-- effect: read
-- work: bounded
SELECT {webhook}
FROM webhook
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
WHERE account_id = :account_id
ORDER BY created_at, id
